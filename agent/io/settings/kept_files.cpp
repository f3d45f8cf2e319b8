// The files that an agent keeps: could a start open them? (settings.hpp, check_files)
#include "agent/io/settings/settings.hpp"
#include "agent/workload/managers.hpp"
#include "common/files/kept_file.hpp"

namespace leasehold::agent {

Status check_files(const Settings& settings) {
  Status good = check_kept_database(settings.state);
  if (good && !settings.metrics_file.empty()) good = check_kept_file(settings.metrics_file);
  if (good) good = check_workload(settings.workload);
  if (good) return good;
  Error error = good.error();
  if (error.file.empty()) error.file = settings.file;
  error.code = ErrorCode::usage;
  return tl::unexpected(std::move(error));
}

}  // namespace leasehold::agent
