// RunningProgram: one program that a call has started, with its input and output while it runs.
// call.cpp waits for several of them by one poll().
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/workload/support/call_request.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return descriptor_; }
  void close();
  void reset(int descriptor) {
    close();
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

/// A socket pair: unlike with a pipe, writing to a program that has ended gives an error and no
/// SIGPIPE.
struct SocketPair {
  Descriptor ours;
  Descriptor theirs;
  bool open();
};

/// One program, with its input and output while it runs.
class RunningProgram {
 public:
  RunningProgram() = default;
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() { end("is not waited for any longer"); }

  void start(const CallRequest& request);
  /// True until it has closed its outputs.
  bool talks() const { return child_ != 0 && (output_.ours.get() >= 0 || errors_.ours.get() >= 0); }
  int64_t until_ms() const { return until_ms_; }
  /// Adds what poll() shall wait for: kFiles entries, which take() is given afterwards.
  void add_to(std::vector<pollfd>& files) const;
  void take(const pollfd* files);
  /// Kills it with all that it started, unless it is over.
  void end(const std::string& why);
  /// Returns the outcome. To be called once, after talks() has become false.
  Result<CallAnswer> outcome();

  static constexpr size_t kFiles = 3;

 private:
  void write();
  void read(Descriptor& from, std::string& into);
  std::string too_late() const {
    return "did not end within " + std::to_string(request_->timeout_ms) + " ms";
  }

  const CallRequest* request_ = nullptr;
  SocketPair input_;
  SocketPair output_;
  SocketPair errors_;
  pid_t child_ = 0;  // 0: it does not run
  int64_t until_ms_ = INT64_MAX;
  size_t written_ = 0;
  CallAnswer answer_;
  std::optional<Error> error_;
};

}  // namespace leasehold::agent
