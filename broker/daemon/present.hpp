// Present answers questions about now from a second copy of the state, which follows the log on a
// thread of its own: questions cost the loop nothing, and no answer shows what is not durable. It
// makes the log's bases there, too. Once the loop says that the database is silent, nobody waits
// for the log any more. The loop's own state decides; the past is read elsewhere (broker/replay).
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "broker/daemon/aside/aside.hpp"
#include "broker/daemon/leadership/own_file.hpp"
#include "broker/follow/followed_state.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "broker/store/base_maker.hpp"

namespace leasehold {

class Present : public BaseMaker {
 public:
  explicit Present(const std::string& log) : log_(log), followed_(log) {}

  // These are for the threads of the answers:
  /// Answers by the state after the question's event, or a later one; if the question says so, from
  /// memory, by the state that was followed last.
  Result<PresentAnswer> answer(const PresentQuestion& question);
  /// Answers `brokers` by the event that was followed last. Waits for nothing; any thread may call
  /// it.
  PresentAnswer leader_view(const PresentQuestion& question);
  /// Follows the log to its end, so that no question has to wait long.
  void follow();
  /// Returns the members of that branch of the consumer tree, after that event or a later one.
  Result<Branch> branch(const std::string& path, int64_t event, bool from_memory);
  /// Metrics of the state after the question's event, or a later one. If several brokers may lead
  /// and the log cannot be read: only who leads, and since when the state is not known.
  Result<std::string> metrics(const MetricsQuestion& question);
  /// Follows the log to its end; an Error says that it cannot be read.
  Status followed();

  /// It is set while the loop says that nobody leads and the database cannot be read.
  std::optional<NobodyLeads> silent() const;
  /// Has `act`, which reads the database, done on `aside` and waits for it. Once the database is
  /// silent it waits no longer: the result is an Error (io).
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
      const std::optional<NobodyLeads> since = silent();  // the thread may have been busy
      return since ? refused(*since) : act();
    });
    while (!nobody && done.wait_for(kLookUp) != std::future_status::ready) nobody = silent();
    return nobody ? refused(*nobody) : done.get();
  }

  /// Closes the connection. Contract: the threads of the answers have ended.
  void close();

  /// Returns the comparison of this broker's own file with the configuration in force, which
  /// `doctor`, metrics and the log show.
  OwnFile& own_file() { return own_file_; }

  // These are for the loop's thread:
  /// Sets why nobody leads. If the database cannot be read either, questions that wait for it are
  /// answered from memory, or with that as their Error.
  void publish_nobody_leads(const std::optional<NobodyLeads>& nobody);
  void want(WantedBase wanted) override;
  std::optional<MadeBase> take() override;

 private:
  using Held = FollowedState::Held;
  Status catch_up();
  Status catch_up_to_end();
  Status read_log(std::function<Status()> read);
  Result<Held> known(int64_t event, bool from_memory = false);
  void log_difference();
  void add_difference(const std::string& name, Json& findings);
  Liveness with_own_file(const Liveness& liveness);
  Json doctor(const Liveness& given, const Liveness& liveness);
  Result<PresentAnswer> with_decisions(const PresentQuestion& question, Json lease, AsOf of);
  Status read_decisions(const std::string& lease, Json& decisions);
  AsOf as_of() const;
  void make_base(const WantedBase& wanted);
  std::optional<WantedBase> take_wanted();

  const std::string log_;  // the database's name
  FollowedState followed_;
  // These are used while followed_ is held:
  std::optional<Instant> whole_;  // when metrics last found that followed_ had the whole log
  OwnFile own_file_;
  std::string logged_difference_;
  std::atomic<bool> failing_{false};
  mutable std::mutex mutex_;  // guards the members below it, up to silent_
  std::optional<WantedBase> wanted_;
  std::optional<MadeBase> made_;
  AsOf known_;                         // the event that was followed last
  std::optional<NobodyLeads> silent_;  // set while the database is silent
  Aside aside_;                        // reads the log; it stands last because it uses the others
};

}  // namespace leasehold
