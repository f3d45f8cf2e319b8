// Reads the answers of a site's own program (agent/workload/README.md, "command: a site's own
// program") into values. Reading is strict: an answer is taken whole, or refused with the place
// that is wrong; nothing is guessed. No process is run here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

inline constexpr int kCommandVersion = 1;  // version of the language between agent and program

/// At this level or above `signal` of `interrupt` may be "none", and `fate` is asked.
inline constexpr int64_t kCommandLevel = 2;

/// The answer to `describe`.
struct CommandDescription {
  WorkloadTraits traits;
  int64_t level = 1;  // how much of the language the program knows
};
Result<CommandDescription> read_description(const std::string& answer);

/// Reads the answer to `read`. `imported` are the hosts that were asked for. Caps get the parts
/// that the journal has; a cap that it does not know has none, and all its slots are own.
Result<View> read_view(const std::string& answer, std::span<const std::string> imported,
                       const WorkloadTraits& traits, const CapJournal& journal);

/// Reads the answer to `jobs`. `unknown` gets a sentence for each unknown word about what a job
/// waits for; such a job is kept back.
Result<WorkList> read_jobs(const std::string& answer, std::vector<std::string>* unknown = nullptr);

Result<JobEnd> read_fate(const std::string& answer);

Result<std::vector<std::string>> read_lacking(const std::string& answer);

/// Reads the answer to every other request.
Status read_done(const std::string& answer);

}  // namespace leasehold::agent
