#include "broker/daemon/machine_findings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "broker/views/attention/doctor.hpp"
#include "common/database_name.hpp"

namespace leasehold {

namespace {

/// With less free space the readable tables are not made either (tables_timer.hpp).
constexpr uintmax_t kFreeLeastBytes = uintmax_t{256} << 20U;

std::string mebibytes(uintmax_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

void disk(const std::filesystem::path& folder, Json& findings) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) {
    findings.push_back(finding_json(Checked::disk, folder.string(),
                                    "its file system cannot be asked: " + error.message(), ""));
  } else if (space.available < kFreeLeastBytes) {
    findings.push_back(
        finding_json(Checked::disk, folder.string(),
                     "only " + mebibytes(space.available) + " are free where the database is",
                     "make room, or keep less: [retention] age and size_mb"));
  } else {
    findings.push_back(
        sound_json(Checked::disk, mebibytes(space.available) + " are free where the database is"));
  }
}

void rights(const std::string& database, const std::filesystem::path& folder, Json& findings) {
  const size_t before = findings.size();
  if (access(folder.c_str(), W_OK) != 0) {
    findings.push_back(finding_json(Checked::rights, folder.string(),
                                    "the broker may not write into the database's folder",
                                    "chown it to the broker's user"));
  }
  struct stat file {};
  if (stat(database.c_str(), &file) == 0 && (file.st_mode & S_IWOTH) != 0) {
    findings.push_back(finding_json(Checked::rights, database,
                                    "everybody on the machine may write the database",
                                    "chmod o-w " + database));
  }
  if (findings.size() > before) return;
  findings.push_back(sound_json(
      Checked::rights,
      "the broker may write into the database's folder, and others may not write the database"));
}

}  // namespace

void add_machine_findings(const std::string& database, Json& findings) {
  if (is_server(database)) return;  // a server's disk and rights are not this machine's
  std::filesystem::path folder = std::filesystem::path(database).parent_path();
  if (folder.empty()) folder = ".";
  rights(database, folder, findings);
  disk(folder, findings);
}

}  // namespace leasehold
