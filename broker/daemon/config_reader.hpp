// ConfigReader: reads the broker's configuration on a thread of its own, so that a file system that
// answers nothing keeps the loop from hearing nobody; only what needs the file waits. Readings are
// made one after the other, in the order in which they were asked for, and each begins after it was
// asked for: the ticket of a later one is higher, and it has read the newer file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/ports/access.hpp"
#include "common/clock.hpp"
#include "common/result.hpp"

namespace leasehold {

class ConfigReader {
 public:
  using Read = std::function<Result<ConfigRead>(const std::string& by, Instant now)>;
  enum class Where : uint8_t {
    in_call,     // begin() reads: for loops in virtual time
    own_thread,  // begin() returns at once
  };
  /// Whoever waits for longer is answered that the file was not read.
  static constexpr int64_t kLateMs = 5'000;

  /// `read` is called on the thread, whose life may end after that of this object: what it refers
  /// to must live as long as the process.
  ConfigReader(Read read, Where where, const TimeSource& time);
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;
  /// Waits for no reading: a process that ends is not kept by a disk.
  ~ConfigReader();

  /// The ticket of a new reading, windows resolved from `now`.
  uint64_t begin(const std::string& by, Instant now);
  /// What was read under the ticket, or `refused` once it is late; nullopt: it is still being read.
  /// An answer is given once; then, and after drop(), nobody knows the ticket any more.
  std::optional<Result<ConfigRead>> take(uint64_t ticket);
  /// Nobody waits for it any more.
  void drop(uint64_t ticket);
  /// Nobody waits for any of them any more.
  void drop_all();
  /// Readable when a reading has ended, until acknowledge() is called.
  int fd() const;
  void acknowledge();
  /// When the oldest reading that is waited for, or under way, becomes late, by CLOCK_BOOTTIME;
  /// INT64_MAX: none is, or it is late already.
  int64_t next_late_ms() const;
  /// True from the moment at which a reading is late, though nobody may wait for that one any more,
  /// until the thread has nothing left to read.
  bool is_stuck();

 private:
  struct Work;
  static void work(const std::shared_ptr<Work>& work);

  Where where_;
  const TimeSource& time_;
  std::shared_ptr<Work> work_;
};

}  // namespace leasehold
