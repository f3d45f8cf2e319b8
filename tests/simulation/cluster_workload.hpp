// ClusterWorkload: the workload manager of a simulated cluster: hosts, caps, and jobs that come,
// run and end in virtual time, all of which outlive the agent. It keeps the contract of
// agent/workload/workload.hpp to the letter and not beyond: a lowered cap binds only after a lag
// below `settle_ms` (work that is being started still starts). It breaks the contract where a fault
// says so. The oracle asks it what is really enforced and used.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/workload/workload.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/host_power.hpp"
#include "tests/simulation/machine_clock.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

/// How a cluster's work comes and goes.
struct WorkloadShape {
  int64_t arrival_ms = 300'000;  // mean gap between jobs
  int64_t run_ms = 1'200'000;    // mean
  int32_t width_most = 2;
  int64_t idle_ms = 0;   // > 0: bursts; no job comes for so long …
  int64_t burst_ms = 0;  // … after so long of them
  int64_t settle_ms = 0;
  bool self_expiring = false;
  bool claims = false;  // reports waiting work that does not exist
  /// The hosts whose first one it reports as indivisible, and from which look on.
  enum class Indivisible : uint8_t { none, own, imported } indivisible = Indivisible::none;
  int64_t divides_until_look = 0;
  bool reserves = false;  // others reserve its first own host, again and again
  /// It reports where waiting work could start; some of it is held, or fits on one host only, and
  /// the work of one partition preempts the others'.
  bool tells_fits = false;
  int64_t sleeps_after_ms = 0;  // > 0: own hosts that are idle for so long are switched off
  int64_t boot_ms = 0;          // mean
};

/// The partition whose work preempts, in a workload with tells_fits.
inline constexpr const char* kPreemptingPartition = "fast";

/// Work that an agent ended.
struct EndedJob {
  enum class How : uint8_t {
    reclaimed,  // it was notified before
    preempted,
    by_signal,  // the signal that should notify it ended it: it is not queued again
  };
  How how = How::reclaimed;
  std::string id;
  std::string host;
  bool wanted = false;   // waiting work that preempts could start there
  int64_t early_ms = 0;  // above 0: so much of its announced grace was left
};

/// One host as its workload manager has it.
struct Place {
  wire::HostFacts facts;  // imported: only the name
  bool imported = false;
  bool present = true;   // in the inventory
  bool drained = false;  // by its owner: no own work starts, and it is not up
  std::optional<agent::HostCap> cap;
  int64_t fence_ends_ms = INT64_MAX;  // when the cap goes by itself; no fence of ours does
  /// Lowered caps that still bind for a while each, where they are higher.
  struct Lag {
    int32_t slots = 0;
    int64_t ends_ms = 0;
  };
  std::vector<Lag> lags;
  int32_t used = 0;
  int32_t peak = 0;         // since the last look
  int32_t peak_before = 0;  // in the look before
  /// The cap that was last asked for, after the manager lost it by itself: slots open or used
  /// beyond it are not our fault (a breach, to be noticed).
  std::optional<int32_t> excused_at;
  HostPower power = {};
};

class ClusterWorkload : public agent::Workload {
 public:
  /// Returns the facts of another cluster's host, by its local name, if it is really up.
  using Remote = std::function<const wire::HostFacts*(const std::string& local_name)>;

  ClusterWorkload(Timeline& time, Chance chance, WorkloadShape shape, FaultPlan& faults,
                  Remote remote);

  agent::WorkloadTraits traits() const override;
  Result<agent::View> read(std::span<const std::string> imported) override;
  Status enforce(std::span<const agent::HostCap> caps) override;
  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override;
  Result<agent::WorkList> work_units() override;
  Status interrupt(const agent::WorkUnit& job, const std::string& signal,
                   int64_t grace_ms) override;
  Status end_and_requeue(const agent::WorkUnit& job) override;
  int64_t next_change_in_ms() override;
  Status lease_until(int64_t boottime_ms) override;
  Status wake(const std::string& host) override;

  // The following are for the world.
  /// Sets the clock of its machine, by which leases end.
  void tick_by(const MachineClock& clock) { clock_ = &clock; }
  void add_host(const wire::HostFacts& facts);
  /// Ends and starts the work whose time has come.
  void advance();
  /// Returns when advance() has something to do.
  int64_t next_ms() const;
  /// Short jobs come for every slot that is open.
  void rush();
  /// No more jobs come; running ones go on.
  void stop_arrivals() { arrivals_ = false; }
  /// Jobs and caps stay as they are from now on: nothing ends or starts, and no work gets nearer to
  /// its end.
  void stand_still() {
    if (!std::exchange(still_, true)) still_since_ms_ = time_.now_ms();
  }
  /// All work ends, and no more comes.
  void cancel_all();
  /// Queues so many jobs of one slot, which run for days.
  void queue_long(int32_t jobs);
  /// True if work waits that leased slots would help.
  bool work_waits() const;
  const std::vector<Place>& places() const { return places_; }
  const std::vector<WakeCall>& wake_calls() const { return wake_calls_; }
  /// Returns all work that was ended since the start.
  const std::vector<EndedJob>& ended() const { return ended_; }
  /// Returns the slots of the place that may be in use now by what is enforced.
  int32_t open_slots(const Place& place) const;

  // Faults:
  void fail_until(int64_t ms) { fails_until_ms_ = ms; }
  /// The next calls do not answer within their time; `hung` is called with how long that took.
  void hang_next(std::function<void(int64_t ms)> hung) { hung_ = std::move(hung); }
  void half_done_next() { half_done_ = true; }
  void fence_too_little_next() { too_little_ = true; }
  /// Looks miss one host that exists, for so long.
  void miss_a_host(int64_t for_ms);
  void forget_fence();
  void restart();
  void set_up(const std::string& host, bool up);
  void set_present(const std::string& host, bool present);
  /// Drains an own host. Others' workload managers do not see that: only their fences keep work
  /// away.
  void set_drained(const std::string& host, bool drained);
  /// An operator frees the hosts of others by hand: their jobs end and nothing new starts there.
  void free_imported();
  /// The operator then removes every fence.
  void take_fences_away();
  void heal();
  /// Called when a host is being switched on.
  std::function<void()> boots;
  /// For people; unset: notes are dropped.
  std::function<void(const std::string&)> note;

 private:
  /// The part of a job that stays from one run to the next, in a workload with tells_fits.
  struct Unit {
    uint64_t id = 0;  // 0: each run has one of its own
    int64_t submitted_ms = 0;
    bool preempts = false;
    int64_t held_until_ms = 0;
    std::string only_on = {};  // "": any host will do
    bool notified = false;     // notified that it must end, in this run or in an earlier one
  };
  struct Job {
    uint64_t id = 0;
    size_t place = 0;
    int32_t slots = 0;
    int64_t started_ms = 0;
    int64_t ends_ms = 0;
    Unit unit = {};
    int64_t notified_ms = 0;  // when it was notified last, and its time from then
    int64_t grace_ms = 0;
  };
  struct Waiting {
    int32_t slots = 0;
    int64_t run_ms = 0;
    Unit unit = {};
  };

  Status answer(const char* call);
  size_t place_of(const std::string& name, bool imported);
  void set_cap(const agent::HostCap& cap);
  bool is_up(const Place& place) const;
  wire::Division division_of(const Place& place) const;
  std::optional<wire::Horizon> horizon_of(const Place& place) const;
  int32_t capacity(const Place& place) const;
  void arrive();
  void judge(Unit& unit);
  void queue(Waiting job, bool first);
  void requeue(const Job& job);
  /// Returns the time by which work waits and runs.
  int64_t work_ms() const { return still_ ? still_since_ms_ : time_.now_ms(); }
  bool kept_back(const Unit& unit) const;
  bool may_start(const Place& place, const Unit& unit) const;
  std::vector<std::string> fits_of(const Unit& unit) const;
  void list_waiting(agent::WorkList& list);
  std::vector<Job>::iterator job_of(const std::string& id);
  void note_end(const Job& job, EndedJob::How how);
  void take_off(std::vector<Job>::iterator job);
  void start_waiting();
  void use(size_t place, int32_t slots);
  void end_jobs_on(size_t place);
  void excuses_over(Place& place);
  bool leases_over() const;
  bool grace_over(const Place& place) const;
  void end_leases();
  int64_t next_lease_ms() const;
  void renew_fences();
  void end_fences();
  int64_t next_fence_ms() const;
  wire::NotUp not_up(const Place& place) const;
  void keep_on(Place& place);
  bool may_sleep(const Place& place) const;
  int64_t power_change_ms(const Place& place) const;
  int64_t next_power_ms() const;
  void save_power();
  void set_power(Place& place, HostPower::Is is, int64_t for_ms = INT64_MAX);
  void change_power(Place& place);
  bool power_fails(Fault fault);
  void end_boot(Place& place);
  void boot(Place& place);
  void boot_for(const Waiting& job);

  Timeline& time_;
  Chance chance_;
  Chance verdicts_;  // separate, so that other draws do not change
  Chance power_;     // likewise
  WorkloadShape shape_;
  int64_t looks_ = 0;
  FaultPlan& faults_;
  Remote remote_;
  std::vector<Place> places_;
  std::vector<Job> jobs_;
  std::deque<Waiting> waiting_;
  uint64_t job_next_ = 1;
  std::set<std::string> wanted_;  // hosts on which work that preempts could start, as listed last
  std::vector<EndedJob> ended_;
  std::vector<WakeCall> wake_calls_;
  int64_t next_arrival_ms_ = 0;
  bool arrivals_ = true;
  bool healed_ = false;
  bool still_ = false;
  int64_t still_since_ms_ = 0;
  int64_t fails_until_ms_ = 0;
  std::function<void(int64_t)> hung_;
  bool half_done_ = false;
  bool too_little_ = false;
  size_t missed_ = 0;
  int64_t missed_until_ms_ = 0;
  const MachineClock* clock_ = nullptr;
  int64_t lease_until_ms_ = INT64_MAX;  // CLOCK_BOOTTIME
  bool leases_ended_ = false;
};

}  // namespace leasehold::simulation
