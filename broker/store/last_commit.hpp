// LastCommit is the last commit that this broker knows to be in the log, kept by the broker and not
// by the database. Nothing in a database tells whether all of what was committed to it is still
// there, because a dump that is put back says of itself what it said when it was made. Rule 15 of
// postgres/README.md therefore asks the broker.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/record/hash.hpp"
#include "common/files/lock_file.hpp"
#include "common/files/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

struct KnownCommit {
  int64_t epoch = 0;  // of the leadership that committed it
  int64_t incarnation = 0;
  bool own = false;  // that leadership was this broker's
  int64_t last_event = 0;
  Hash hash{};  // of the log's row that ends with it
  bool operator==(const KnownCommit&) const = default;
};

class LastCommit {
 public:
  virtual ~LastCommit() = default;
  /// Returns the commit; nullopt: this broker has never known of one, or what it knew is not
  /// certain.
  virtual const std::optional<KnownCommit>& known() const = 0;
  /// Keeps the commit; durable once it returns. A leader calls it after each commit and before its
  /// effects leave; a broker that stands by calls it after it saw that a leader committed.
  virtual Status keep(const KnownCommit& commit) = 0;
  /// Checks that keep() would work. A broker asks before it takes over, for each commit would fail.
  virtual Status usable() = 0;
  /// True while a write was begun and is not over, which a slow disk may make long. May be called
  /// on any thread.
  virtual bool is_writing() const { return false; }
};

/// Keeps the commit in a file, which one process holds at a time. One record of fixed length is
/// written over the one before, so that it needs no room and a write of it is one sector.
class LastCommitFile : public LastCommit {
 public:
  /// Makes the file if it is missing. A record that cannot be read counts as none, and is logged.
  /// Refused: another broker holds the file. Error: it cannot be opened.
  static Result<std::unique_ptr<LastCommitFile>> open(const std::string& path);

  const std::optional<KnownCommit>& known() const override { return known_; }
  Status keep(const KnownCommit& commit) override;
  Status usable() override;
  bool is_writing() const override { return writing_; }

 private:
  LastCommitFile(LockFile lock, OpenFile file, std::string path)
      : lock_(std::move(lock)), file_(std::move(file)), path_(std::move(path)) {}
  Status read();
  Status write(const std::string& record);
  Status write_through(const std::string& record);

  LockFile lock_;  // of the same file
  OpenFile file_;
  std::string path_;
  std::optional<KnownCommit> known_;
  std::atomic<bool> writing_ = false;
};

}  // namespace leasehold
