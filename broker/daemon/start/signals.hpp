// Signals turns signals into input: SIGTERM and SIGINT ask to stop, SIGHUP to reload. They are read
// from a descriptor, so that nothing runs inside a handler.
#pragma once

namespace leasehold {

class Signals {
 public:
  /// Blocks the three for the whole process (call before any thread starts) and opens a signalfd.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_; }
  /// Takes what came in since the last call.
  void read();
  bool stop() const { return stop_; }
  /// True if SIGHUP came since the last call; several count as one.
  bool take_reload();

 private:
  int fd_ = -1;
  bool stop_ = false;
  bool reload_ = false;
};

}  // namespace leasehold
