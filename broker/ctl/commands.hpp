// The commands of leasectl. Each prints its answer and returns the exit code.
#pragma once

#include "broker/ctl/session.hpp"

namespace leasehold::ctl {

int show(Session& session);    // clusters leases lease hosts policies groups consumers explain
int change(Session& session);  // rebalance drain resume close open freeze thaw forget
int reload(Session& session);
int show_history(Session& session);  // history
int replay(Session& session);
int usage(Session& session);
int run_simulation(Session& session);
int check_config(Session& session);
int import_lsf(Session& session);
int import_ego(Session& session);
int plan(Session& session);
int keygen(Session& session);

/// Parses, runs, returns the exit code: the whole of leasectl but its signals.
int run(int argc, const char* const* argv);

}  // namespace leasehold::ctl
