// SettingsReader reads the agent's settings and key again on a thread of its own, so that the loop
// goes on while a file system answers nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "agent/io/broker/broker_connection.hpp"
#include "agent/io/settings/settings.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// Settings that are good, and the connection that they ask for.
using SettingsRead = std::pair<Settings, BrokerConnectionSettings>;

class SettingsReader {
 public:
  using Read = std::function<Result<SettingsRead>()>;
  /// A reading that takes longer is late.
  static constexpr int64_t kLateMs = 5'000;

  /// `read` is called on the thread, which may outlive this object: what it refers to must live as
  /// long as the process.
  explicit SettingsReader(Read read);
  SettingsReader(const SettingsReader&) = delete;
  SettingsReader& operator=(const SettingsReader&) = delete;
  /// Waits for no reading: a file system that answers nothing must not keep the process from
  /// ending.
  ~SettingsReader();
  /// Returns the number of threads that still read although their reader is gone. While there are
  /// any, the process must end without destroying what lives as long as it does (std::_Exit).
  static int left_reading();

  /// Asks for a reading that begins after this call. If no thread can be made, take() gives an
  /// Error.
  void begin(int64_t now_ms);
  /// Returns, once, the result of the last reading that has ended.
  std::optional<Result<SettingsRead>> take();
  /// It is readable when a reading has ended, until take() is called.
  int fd() const;
  /// Returns when the reading under way becomes late; INT64_MAX: there is none, or it is late
  /// already.
  int64_t next_late_ms(int64_t now_ms) const;
  /// True from the moment at which a reading is late until it has ended.
  bool is_late(int64_t now_ms) const;

 private:
  struct Work;
  static void work(std::shared_ptr<Work> work);
  static bool read_all(Work& work);

  std::shared_ptr<Work> work_;
  std::thread thread_;  // none, or one that has ended, while nothing is read
};

}  // namespace leasehold::agent
