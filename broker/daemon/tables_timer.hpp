// TablesTimer makes the readable tables now and then, on a thread of its own with low priority. It
// shares nothing with the event loop but what it tells of the file, and reads the log by itself. A
// failure is logged once and shown in `attention`; it affects no lease.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "broker/config/daemon.hpp"
#include "broker/follow/make_tables.hpp"
#include "broker/views/clusters/leader_view.hpp"

namespace leasehold {

class TablesTimer {
 public:
  struct Options {
    std::string log;
    std::string file;
    int64_t every_ms = 60'000;
    /// With less free space the tables are not made, so that the log can go on.
    int64_t least_free_bytes = int64_t{256} << 20;
  };

  /// A file that stands there already is made again when it is as old as that; else one is made at
  /// once.
  explicit TablesTimer(Options options);
  TablesTimer(const TablesTimer&) = delete;
  TablesTimer& operator=(const TablesTimer&) = delete;
  /// Gives up what is being made: the old file stays.
  ~TablesTimer();

  /// Any thread may call it; it waits for nothing.
  std::shared_ptr<const TablesStatus> status() const;

 private:
  void run();
  bool wait(int64_t ms);  // returns false at the end
  bool ends() const;
  void tell(const Result<MadeTables>& made);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable end_;
  bool ends_ = false;                           // protected by mutex_, as the next one
  std::shared_ptr<const TablesStatus> status_;  // replaced, never changed
  std::thread thread_;
};

/// Returns what a broker with this configuration makes, or nullopt if it makes no tables: unless
/// `tables` is written, it goes on with a file that stands there, and makes one that
/// `readable_tables` names.
std::optional<TablesTimer::Options> tables_to_make(const DaemonConfig& daemon);

}  // namespace leasehold
