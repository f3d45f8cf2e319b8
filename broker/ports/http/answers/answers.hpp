// Answers owns the threads of HTTP that make answers, one for now and one for the past, and keeps
// what they made last: many visitors who ask the same after the same event get one answer, made
// once. For the server's thread alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/ports/http/answers/making.hpp"
#include "broker/ports/operators/answer_thread.hpp"

namespace leasehold {

class Answers {
 public:
  explicit Answers(Lookups lookups);
  ~Answers();  // end()

  /// The id of the connection that waits.
  using Waiter = uint64_t;
  struct Ready {
    std::vector<Waiter> waiters;
    std::shared_ptr<const Reply> reply;
  };

  /// Returns the reply that was made for the same question and event a moment ago; nullptr: there
  /// is none.
  std::shared_ptr<const Reply> made(const Inquiry& inquiry, int64_t now_ms) const;
  /// Has the answer made, for collect() to return. False: too many questions wait.
  bool ask(Inquiry inquiry, Waiter waiter);
  /// The waiter has gone. An answer that nobody waits for is not made, unless it has begun.
  void leave(Waiter waiter);

  /// They are readable when answers are ready: collect().
  std::array<int, 2> fds() const { return {present_.fd(), past_.fd()}; }
  std::vector<Ready> collect(int64_t now_ms);

  /// Returns the number of questions whose answers were not collected yet.
  size_t waiting() const { return asked_.size(); }
  /// Returns the bytes of answers in memory, kept ones and those that are being sent.
  int64_t held_bytes() const { return held_bytes_->load(); }
  void end();

 private:
  struct Asked;  // shared with the thread that makes it
  struct Kept {
    std::shared_ptr<const Reply> reply;
    int64_t event = 0;
    int64_t at_ms = 0;
  };

  void keep(const std::string& text, Kept kept);

  const Lookups lookups_;
  HeldBytes held_bytes_;
  uint64_t ticket_next_ = 1;
  std::map<uint64_t, std::shared_ptr<Asked>> asked_;
  std::map<std::string, Kept> kept_;
  AnswerThread present_;
  AnswerThread past_;
};

}  // namespace leasehold
