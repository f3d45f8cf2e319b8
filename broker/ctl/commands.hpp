// The commands of leasectl. Each prints its answer and returns the exit code.
#pragma once

#include "broker/ctl/invocation.hpp"

namespace leasehold::ctl {

int show(Invocation& invocation);    // every question without a function of its own
int change(Invocation& invocation);  // every change except reload
int reload(Invocation& invocation);
int show_history(Invocation& invocation);
int replay(Invocation& invocation);
int run_what_if(const CommandLine& line);  // replay --what-if
int doctor(Invocation& invocation);
int watch(Invocation& invocation);
int usage(Invocation& invocation);
int run_simulation(Invocation& invocation);
int tables(Invocation& invocation);
int backup(Invocation& invocation);
int restore(Invocation& invocation);
int check_config(Invocation& invocation);
int import_lsf(Invocation& invocation);
int import_ego(Invocation& invocation);
int plan(Invocation& invocation);
int keygen(Invocation& invocation);
int completion(Invocation& invocation);
int reference(Invocation& invocation);

/// Parses the line, runs the command and returns the exit code: all of leasectl except its signals.
int run(int argc, const char* const* argv);

}  // namespace leasehold::ctl
