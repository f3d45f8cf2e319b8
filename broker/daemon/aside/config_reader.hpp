// ConfigReader reads the broker's configuration on a thread of its own, so that the loop goes on
// while a file system answers nothing; only what needs the file waits. Readings are made one after
// the other, in the order in which they were asked for, and each begins after it was asked for: a
// later reading has the higher ticket and has read the newer file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "broker/ports/access.hpp"
#include "common/result.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

class ConfigReader {
 public:
  using Read = std::function<Result<ConfigRead>(const std::string& by, Instant now)>;
  enum class Where : uint8_t {
    in_call,     // begin() reads before it returns: for loops in virtual time
    own_thread,  // begin() returns at once
  };
  /// A reading that takes longer ends with an Error for whoever waits for it.
  static constexpr int64_t kLateMs = 5'000;
  static constexpr int64_t kGivenUpMs = 2 * kLateMs;

  /// `read` is called on the thread, whose life may end after that of this object: what it refers
  /// to must live as long as the process.
  ConfigReader(Read read, Where where, const TimeSource& time);
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;
  /// Waits for no reading: a disk that answers nothing must not keep the process from ending.
  ~ConfigReader();
  /// Returns the number of threads that still read although their reader is gone. While there are
  /// any, the process must end without destroying what lives as long as it does (std::_Exit).
  static int left_reading();

  /// Asks for a new reading, with windows resolved from `now`, and returns its ticket. Each ticket
  /// is to be taken until take() answers, or dropped.
  uint64_t begin(const std::string& by, Instant now);
  /// The result of the reading, or an Error (refused) once it is late; nullopt: it is still being
  /// read. A result is given once; then, and after drop(), the ticket is unknown and answered as a
  /// late one. `was_read`: set to whether the file was read, wrong or right.
  std::optional<Result<ConfigRead>> take(uint64_t ticket, bool* was_read = nullptr);
  /// False if take() gave the result of the reading, or it was given up.
  bool is_waited_for(uint64_t ticket) const;
  /// Gives up a reading that nobody waits for any more.
  void drop(uint64_t ticket);
  void drop_all();
  /// It is readable when a reading has ended, until acknowledge() is called.
  int fd() const;
  /// To be called in each turn. Gives up readings that nobody has come for in kGivenUpMs, which is
  /// longer than whoever comes in each turn waits; not after a standstill, when nobody could.
  void acknowledge();
  /// Returns when the oldest reading that is waited for, or under way, becomes late, by
  /// CLOCK_BOOTTIME; INT64_MAX: none is, or it is late already.
  int64_t next_late_ms() const;
  /// True from the moment at which a reading is late, though nobody may wait for that one any more,
  /// until the thread has nothing left to read.
  bool is_stuck();

 private:
  struct Work;
  static void work(Work& work);

  Where where_;
  const TimeSource& time_;
  std::shared_ptr<Work> work_;
  int64_t acknowledged_ms_ = 0;  // when that was called last
  std::thread thread_;           // none if Where::in_call
};

}  // namespace leasehold
