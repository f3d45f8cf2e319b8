#include "broker/store/sqlite/commit_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "broker/store/sqlite/file_rights.hpp"
#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold {

namespace {

/// Digits, padded so that a shorter number overwrites a longer one.
constexpr size_t kWidth = 21;

}  // namespace

Result<LockFile> lock_database(const std::string& database) {
  Result<LockFile> lock =
      LockFile::take(database + ".lock", "another broker uses the database " + database +
                                             "; stop that one or name another database");
  if (lock || lock.error().code != ErrorCode::io) return lock;
  if (auto fault = fault_of_file(database, FileUse::write)) {
    return tl::unexpected(*std::move(fault));
  }
  return lock;
}

Result<CommitFile> CommitFile::open(const std::string& database) {
  const std::string path = database + ".commit";
  Result<OpenFile> file = open_regular_file(path, O_RDWR | O_CREAT, 0640);
  if (!file) return tl::unexpected(file.error());
  return CommitFile(std::move(*file), path);
}

Result<int64_t> number_beside(const std::string& database) {
  const std::string path = database + ".commit";
  Result<OpenFile> file = open_regular_file(path, O_RDONLY);
  if (file) return CommitFile(std::move(*file), path).read();
  if (file.error().code == ErrorCode::unknown) return 0;
  return tl::unexpected(file.error());
}

Result<int64_t> CommitFile::read() const {
  std::array<char, kWidth> text;
  const ssize_t size = ::pread(file_.fd(), text.data(), text.size(), 0);
  if (size < 0) return system_error("read", path_);
  // Nothing, or zeros: it was made, and the power went before its bytes were on disk.
  if (size == 0 || text[0] == '\0') return 0;
  int64_t number = 0;
  const char* end = text.data() + size;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && number >= 0 && rest != end) return number;
  return fail(ErrorCode::corrupt, path_ +
                                      " does not hold the number of a commit; if the database is "
                                      "the newest copy there is, remove this file");
}

Status CommitFile::write(int64_t number) const {
  std::array<char, kWidth + 1> text;
  std::snprintf(text.data(), text.size(), "%-20lld\n", static_cast<long long>(number));
  const ssize_t size = ::pwrite(file_.fd(), text.data(), kWidth, 0);
  if (size != static_cast<ssize_t>(kWidth)) return system_error("write", path_);
  return {};
}

Status CommitFile::make_durable() const {
  if (::fsync(file_.fd()) != 0) return system_error("write", path_);
  return {};
}

Status adjust_number_for_copy(const std::string& database, int64_t commit) {
  const Result<CommitFile> file = CommitFile::open(database);
  if (!file) return tl::unexpected(file.error());
  const Result<int64_t> number = file->read();
  if (!number) return tl::unexpected(number.error());
  if (*number >= commit) return {};
  if (Status written = file->write(commit + 1); !written) return written;
  return file->make_durable();
}

}  // namespace leasehold
