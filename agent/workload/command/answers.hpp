// What a site's own program answers (README.md here), as values. Strict: an answer is taken whole
// or refused with the place that is wrong; nothing is guessed. No process is run here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

inline constexpr int kCommandVersion = 1;  // of the language that agent and program speak

/// From this level on `signal` of `interrupt` may be "none", and `fate` is asked.
inline constexpr int64_t kCommandLevel = 2;

/// To `describe`.
struct CommandDescription {
  WorkloadTraits traits;
  int64_t level = 1;  // how much of the language the program knows
};
Result<CommandDescription> read_description(const std::string& answer);

/// To `read`. `imported`: hosts that were asked for. Caps come with the parts that the journal has;
/// one that it does not know has none, and is all own.
Result<View> read_view(const std::string& answer, std::span<const std::string> imported,
                       const WorkloadTraits& traits, const CapJournal& journal);

/// To `jobs`.
/// `unknown`: a sentence for each word about what a job waits for that is not known; such a job is
/// kept back.
Result<WorkList> read_jobs(const std::string& answer, std::vector<std::string>* unknown = nullptr);

/// To `fate`.
Result<JobEnd> read_fate(const std::string& answer);

/// To `permissions`.
Result<std::vector<std::string>> read_lacking(const std::string& answer);

/// To everything else.
Status read_done(const std::string& answer);

}  // namespace leasehold::agent
