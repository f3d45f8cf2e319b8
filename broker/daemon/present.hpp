// Present: what is so now, told by a second copy of the state that follows the log on a thread of
// its own: questions cost the loop nothing, and no answer tells what is not durable. It makes the
// log's bases there, too. Not the loop's state, which decides; nor the past (broker/replay).
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "broker/daemon/own_file.hpp"
#include "broker/follow/followed_state.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "broker/store/base_maker.hpp"

namespace leasehold {

class Present : public BaseMaker {
 public:
  explicit Present(const std::string& log) : log_(log), followed_(log) {}

  // On the threads of the answers, of which one at a time has its turn:
  /// By the state after the event that the question names, or a later one; from memory, if it says
  /// so, by what was followed last.
  Result<PresentAnswer> answer(const PresentQuestion& question);
  /// Of `brokers`, on any thread: waits for nothing, and is as of what was followed last.
  PresentAnswer standing(const PresentQuestion& question);
  /// To the log's end, so that no question has much to wait for.
  void follow();
  /// What belongs to that branch of the consumer tree, as of that event or a later one.
  Result<Branch> branch(const std::string& path, int64_t event, bool from_memory);
  /// By the same state. Where several brokers may lead and the log cannot be read: who leads, and
  /// for how long it has not been.
  Result<std::string> metrics(const MetricsQuestion& question);
  /// The log can be read, and was followed to its end.
  Status followed();

  /// When those threads have ended: its connection goes.
  void close() { followed_.close(); }

  /// What this broker would put in force: its difference from what is in force is told in `doctor`,
  /// metrics and the log.
  OwnFile& own_file() { return own_file_; }

  // On the loop's thread:
  void want(WantedBase wanted) override;
  std::optional<MadeBase> take() override;

 private:
  Status catch_up();
  Status catch_up_to_end();
  Result<std::unique_lock<std::timed_mutex>> take_turn(bool from_memory);
  Status reach(int64_t event, bool from_memory = false);
  void tell_difference();
  void add_difference(const std::string& name, Json& findings);
  Liveness with_own_file(const Liveness& liveness);
  PresentAnswer answered(const Json& answer) const;
  void make_base(const WantedBase& wanted);
  std::optional<WantedBase> take_wanted();

  const std::string log_;  // its name
  std::timed_mutex turn_;  // of followed_
  FollowedState followed_;
  std::optional<Instant> whole_;  // as of then followed_ was surely all, when metrics were asked
  OwnFile own_file_;
  std::string difference_told_;  // by whoever has the turn
  std::atomic<bool> failing_{false};
  std::mutex mutex_;  // of what follows
  std::optional<WantedBase> wanted_;
  std::optional<MadeBase> made_;
  AsOf known_;  // what was followed last
};

}  // namespace leasehold
