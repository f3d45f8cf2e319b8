#include "broker/store/last_commit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "common/files/regular_file.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

/// Numbers of 63 bits with their signs, the two hashes, spaces and the line's end fit into it.
constexpr size_t kRecordBytes = 256;

tl::unexpected<Error> cannot(const char* what, const std::string& path) {
  return fail(ErrorCode::io,
              std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

std::string padded(std::string text) {
  text.resize(kRecordBytes - 1, ' ');
  return text + '\n';
}

std::string facts_of(const KnownCommit& commit) {
  return std::to_string(commit.epoch) + " " + std::to_string(commit.incarnation) + " " +
         (commit.own ? "own" : "followed") + " " + std::to_string(commit.last_event) + " " +
         hex(commit.hash);
}

/// The record ends with its own hash: half a record counts as none.
std::string record_of(const KnownCommit& commit) {
  const std::string facts = facts_of(commit);
  return padded(facts + " " + hex(hash_of(facts)));
}

bool take_hex(const std::string& text, Hash& hash) {
  std::string bytes;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    const std::string pair = text.substr(at, 2);
    if (pair.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
    bytes.push_back(static_cast<char>(std::stoi(pair, nullptr, 16)));
  }
  return take_hash(bytes, hash);
}

std::optional<KnownCommit> commit_in(const std::string& record) {
  std::istringstream words(record);
  KnownCommit commit;
  std::string whose, hash;
  words >> commit.epoch >> commit.incarnation >> whose >> commit.last_event >> hash;
  commit.own = whose == "own";
  if (!words || !take_hex(hash, commit.hash) || record != record_of(commit)) return std::nullopt;
  return commit;
}

}  // namespace

Result<std::unique_ptr<LastCommitFile>> LastCommitFile::open(const std::string& path) {
  Result<LockFile> lock =
      LockFile::take(path, "another broker keeps its last commit in " + path +
                               "; give each broker a file of its own: [broker] last_commit_file");
  if (!lock) return tl::unexpected(lock.error());
  Result<OpenFile> file = open_regular_file(path, O_RDWR);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<LastCommitFile> opened(
      new LastCommitFile(std::move(*lock), std::move(*file), path));
  if (Status read = opened->read(); !read) return tl::unexpected(read.error());
  return opened;
}

Status LastCommitFile::read() {
  std::array<char, kRecordBytes + 1> bytes;
  const ssize_t size = ::pread(file_.fd(), bytes.data(), bytes.size(), 0);
  if (size < 0) return cannot("read", path_);
  const std::string record(bytes.data(), static_cast<size_t>(size));
  known_ = commit_in(record);
  const bool blank = std::all_of(record.begin(), record.end(), [](char each) {
    return each == ' ' || each == '\n' || each == '\0';
  });
  if (!known_ && !blank) {
    log_warn("last-commit-unreadable",
             {{"file", path_},
              {"why", "the file holds no record of a commit"},
              {"then",
               "after the next take-over each lease waits until the agents of its sides have "
               "reported, unless a commit comes first"},
              {"do", "nothing; the next commit writes the file"}});
  }
  return {};
}

Status LastCommitFile::write(const std::string& record) {
  writing_ = true;
  const Status done = write_through(record);
  writing_ = false;
  return done;
}

Status LastCommitFile::write_through(const std::string& record) {
  const ssize_t size = ::pwrite(file_.fd(), record.data(), record.size(), 0);
  if (size != static_cast<ssize_t>(record.size())) return cannot("write", path_);
  if (::fdatasync(file_.fd()) != 0) return cannot("write", path_);
  return {};
}

/// After a write that failed the file's content is unknown, so that nothing is known until the
/// next.
Status LastCommitFile::keep(const KnownCommit& commit) {
  if (known_ == commit) return {};
  known_.reset();
  if (Status written = write(record_of(commit)); !written) return written;
  known_ = commit;
  return {};
}

Status LastCommitFile::usable() {
  return write(known_ ? record_of(*known_) : padded(""));
}

}  // namespace leasehold
