// Present: what is so now, told by a second copy of the state that follows the log on a thread of
// its own: questions cost the loop nothing, and no answer tells what is not durable. It makes the
// log's bases there, too. The log is read aside: once the loop says that the database is silent,
// nobody waits for it any more. Not the loop's state, which decides; nor the past (broker/replay).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "broker/daemon/aside.hpp"
#include "broker/daemon/own_file.hpp"
#include "broker/follow/followed_state.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "broker/store/base_maker.hpp"

namespace leasehold {

class Present : public BaseMaker {
 public:
  explicit Present(const std::string& log) : log_(log), followed_(log) {}

  // On the threads of the answers:
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

  /// While the loop says so: nobody leads, and the database cannot be read.
  std::optional<NobodyLeads> silent() const;
  /// `act`, which reads the database, done on `aside`; an error (io) once that is silent: nobody
  /// waits for it then.
  template <class Act>
  auto unless_silent(Aside& aside, Act act) const -> decltype(act()) {
    using Answer = decltype(act());
    constexpr std::chrono::milliseconds kLookUp{20};
    const auto refused = [](const NobodyLeads& nobody) -> Answer {
      return fail(ErrorCode::io, describe(nobody));
    };
    std::optional<NobodyLeads> nobody = silent();
    if (nobody) return refused(*nobody);
    auto done = aside.begin([this, refused, act = std::move(act)]() -> Answer {
      const std::optional<NobodyLeads> since = silent();  // it may have stood behind another
      return since ? refused(*since) : act();
    });
    while (!nobody && done.wait_for(kLookUp) != std::future_status::ready) nobody = silent();
    return nobody ? refused(*nobody) : done.get();
  }

  /// When those threads have ended: its connection goes.
  void close();

  /// What this broker would put in force: its difference from what is in force is told in `doctor`,
  /// metrics and the log.
  OwnFile& own_file() { return own_file_; }

  // On the loop's thread:
  /// That nobody leads; where the database cannot be read either, who waits for it is answered from
  /// memory, or told so.
  void tell_nobody(const std::optional<NobodyLeads>& nobody);
  void want(WantedBase wanted) override;
  std::optional<MadeBase> take() override;

 private:
  using Held = FollowedState::Held;
  Status catch_up();
  Status catch_up_to_end();
  Status read_log(std::function<Status()> read);
  Result<Held> known(int64_t event, bool from_memory = false);
  void tell_difference();
  void add_difference(const std::string& name, Json& findings);
  Liveness with_own_file(const Liveness& liveness);
  Json doctor(const Liveness& told, const Liveness& liveness);
  Result<PresentAnswer> with_decisions(const PresentQuestion& question, Json lease, AsOf of);
  Status read_decisions(const std::string& lease, Json& decisions);
  AsOf as_of() const;
  void make_base(const WantedBase& wanted);
  std::optional<WantedBase> take_wanted();

  const std::string log_;  // its name
  FollowedState followed_;
  // While followed_ is held:
  std::optional<Instant> whole_;  // as of then followed_ was surely all, when metrics were asked
  OwnFile own_file_;
  std::string difference_told_;
  std::atomic<bool> failing_{false};
  mutable std::mutex mutex_;  // of what follows
  std::optional<WantedBase> wanted_;
  std::optional<MadeBase> made_;
  AsOf known_;                         // what was followed last
  std::optional<NobodyLeads> silent_;  // the database is
  Aside aside_;                        // reads the log; last: it uses all of the above
};

}  // namespace leasehold
