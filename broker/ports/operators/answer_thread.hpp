// AnswerThread is a thread that makes answers, one after the other, so that the loop never waits
// for a long one. An eventfd tells the loop that some are ready. It knows nothing of the questions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace leasehold {

class AnswerThread {
 public:
  struct Answer {
    uint64_t ticket = 0;
    std::string text;  // the whole answer, ready to be sent; or a part of it
    bool last = true;  // nothing more of this ticket comes
  };
  /// Makes the whole answer, on the thread.
  using Making = std::function<std::string()>;

  struct Options {
    size_t waiting_max = 64;
    /// Called on the thread after wake(), at most once in so long, while nobody asks.
    std::function<void()> meanwhile = {};
    int64_t meanwhile_every_ms = 200;
  };

  explicit AnswerThread(Options options);
  AnswerThread(const AnswerThread&) = delete;
  AnswerThread& operator=(const AnswerThread&) = delete;
  ~AnswerThread();  // end()

  /// It is readable while answers wait.
  int fd() const;
  /// Returns false if too many wait already.
  bool ask(uint64_t ticket, Making making);
  /// Hands out a part of the answer to `ticket`, ahead of the text that its Making returns. Only
  /// that Making calls it, on the thread.
  void tell(uint64_t ticket, std::string part);
  /// Has Options::meanwhile called soon. Waits for nothing.
  void wake();
  std::vector<Answer> collect();
  /// Waits for the answer under way and drops the others. Nothing is taken after it.
  void end();

 private:
  struct Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace leasehold
