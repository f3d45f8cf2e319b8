#include "agent/workload/simulated/simulated.hpp"

#include <algorithm>
#include <charconv>

#include "agent/workload/simulated/jobs_file.hpp"
#include "agent/workload/simulated/world.hpp"

namespace leasehold::agent {

namespace {

Result<std::vector<std::string>> down_hosts(JobsFile& file, const SimulatedSettings& settings) {
  Result<std::vector<std::string>> down = file.down();
  if (!down) return down;
  for (const wire::HostFacts& host : settings.hosts) {
    if (!host.up) down->push_back(host.name);
  }
  return down;
}

class Simulated final : public Workload {
 public:
  Simulated(SimulatedSettings settings, WallClock clock, bool read_only, const TimeSource& time,
            JobsFile file, SimulatedWorld world)
      : settings_(std::move(settings)),
        clock_(std::move(clock)),
        read_only_(read_only),
        time_(time),
        file_(std::move(file)),
        world_(std::move(world)),
        begin_virtual_ms_(world_.stored().virtual_ms),
        begin_wall_ms_(world_.stored().fresh ? clock_() : world_.stored().wall_ms) {}

  WorkloadTraits traits() const override {
    return {"simulated", {true, true, true}, settings_.settle_ms, true};
  }

  Result<View> read(std::span<const std::string> imported) override {
    if (const Status caught_up = catch_up(); !caught_up) return tl::unexpected(caught_up.error());
    View view = look(imported);
    world_.turn_peaks();
    if (const Status saved = save(); !saved) return tl::unexpected(saved.error());
    return view;
  }

  Status enforce(std::span<const HostCap> caps) override {
    if (read_only_) return fail(ErrorCode::refused, "--probe changes nothing");
    if (const Status caught_up = catch_up(); !caught_up) return caught_up;
    world_.set_caps(caps);
    return save();
  }

  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override {
    std::vector<std::pair<std::string, int64_t>> withheld;
    for (const wire::ConfiguredResource& resource : resources) {
      if (resource.role != wire::Role::provider) continue;
      const auto known = std::find_if(withheld.begin(), withheld.end(), [&](const auto& entry) {
        return entry.first == resource.name;
      });
      if (known == withheld.end()) {
        withheld.emplace_back(resource.name, resource.instances);
      } else {
        known->second += resource.instances;
      }
    }
    return file_.save_resources(withheld);
  }

  Status lease_until(int64_t boottime_ms) override {
    if (read_only_) return fail(ErrorCode::refused, "--probe changes nothing");
    if (const Status caught_up = catch_up(); !caught_up) return caught_up;
    world_.set_lease_until(boottime_ms, time_.boot_id());
    return save();
  }

  Result<WorkList> work_units() override { return WorkList{{virtual_now()}, world_.units()}; }

  /// A simulated job cannot be notified.
  Status interrupt(const WorkUnit&, const std::string&, int64_t) override { return {}; }

  Status end_and_requeue(const WorkUnit& unit) override {
    const std::string& job = unit.id;
    uint64_t id = 0;
    const auto [end, error] = std::from_chars(job.data(), job.data() + job.size(), id);
    if (error != std::errc() || end != job.data() + job.size()) {
      return fail(ErrorCode::unknown, "'" + job + "' is not the number of a simulated job");
    }
    if (const Status caught_up = catch_up(); !caught_up) return caught_up;
    world_.requeue(id);
    return save();
  }

  /// A simulated job ends well, or is requeued.
  Result<JobEnd> end_of(const WorkUnit& job) override {
    for (const WorkUnit& unit : world_.units()) {
      if (unit.id == job.id) {
        return JobEnd{unit.running() ? JobEnd::How::goes_on : JobEnd::How::queued};
      }
    }
    return JobEnd{JobEnd::How::well, 0};
  }

  int64_t next_change_in_ms() override {
    const int64_t next = world_.next_event_ms();
    if (next == INT64_MAX) return INT64_MAX;
    const int64_t virtual_ms = std::max<int64_t>(0, next - virtual_now());
    if (virtual_ms > INT64_MAX / 1000 - settings_.speed_milli) return INT64_MAX;
    return (virtual_ms * 1000 + settings_.speed_milli - 1) / settings_.speed_milli;
  }

 private:
  int64_t virtual_now() const {
    const int64_t passed = std::max<int64_t>(0, clock_() - begin_wall_ms_);
    return begin_virtual_ms_ + virtual_length(passed);
  }

  /// Computes in two parts, so that years at a high speed do not overflow.
  int64_t virtual_length(int64_t real_ms) const {
    return real_ms / 1000 * settings_.speed_milli + real_ms % 1000 * settings_.speed_milli / 1000;
  }

  /// Returns the inverse of virtual_length().
  int64_t real_length(int64_t virtual_ms) const {
    constexpr int64_t kMost = 1'000'000'000'000'000;
    const int64_t length = std::clamp(virtual_ms, -kMost, kMost);
    return length / settings_.speed_milli * 1000 +
           length % settings_.speed_milli * 1000 / settings_.speed_milli;
  }

  Instant real_time(Instant at) const {
    return {std::max<int64_t>(1, begin_wall_ms_ + real_length(at.ms - begin_virtual_ms_))};
  }

  /// Jobs are placed slot by slot, over any number of hosts, so that one slot on one host is
  /// enough. A job's limit is its run time.
  WorkShapes shapes() const {
    WorkShapes shapes{real_time({virtual_now()}), {}, {}};
    world_.visit_jobs([&](const Job& job, std::optional<Instant> start) {
      const int64_t length_ms = real_length(job.run_ms);
      if (start) {
        const Instant began = real_time(*start);
        shapes.running.push_back({std::to_string(job.id), job.width, began, began + length_ms});
      } else {
        shapes.waiting.push_back(
            {1, 1, job.width, wire::time_class(length_ms), real_time(job.arrival)});
      }
    });
    return shapes;
  }

  /// Returns the end of leases in virtual time. `now_ms` was read before CLOCK_BOOTTIME is: if the
  /// process was stopped between them, the end seems nearer, never farther.
  int64_t lease_end(int64_t now_ms) const {
    const int64_t until_ms = world_.stored().lease_until_ms;
    if (until_ms == INT64_MAX) return INT64_MAX;
    return now_ms + virtual_length(until_ms - time_.boottime_ms());
  }

  Status catch_up() {
    Result<std::vector<std::string>> down = down_hosts(file_, settings_);
    if (!down) return tl::unexpected(down.error());
    const int64_t now_ms = virtual_now();
    world_.place_lease_end(lease_end(now_ms), settings_.speed_milli);
    world_.advance(now_ms);
    world_.set_down(*down);
    world_.set_wall(clock_());
    return {};
  }

  View look(std::span<const std::string> imported) const {
    View view;
    view.hosts = settings_.hosts;
    for (wire::HostFacts& host : view.hosts) {
      host.up = !world_.is_down(host.name);
      view.loads.push_back(load_of(host.name, false));
    }
    for (const std::string& host : imported) view.loads.push_back(load_of(host, true));
    for (const auto& [name, cap] : world_.stored().caps) view.caps.push_back(cap);
    view.pending = world_.pending_slots();
    view.running = world_.used_slots();
    view.shapes = shapes();
    view.leases_until_ms = world_.stored().lease_until_ms;
    return view;
  }

  HostLoad load_of(const std::string& host, bool imported) const {
    return {host, imported, !world_.is_down(host), world_.used(host), world_.peak(host)};
  }

  Status save() {
    if (read_only_) return {};
    const Status saved = file_.save(world_.changes());
    if (saved) world_.changes_saved();
    return saved;
  }

  SimulatedSettings settings_;
  WallClock clock_;
  bool read_only_;
  const TimeSource& time_;
  JobsFile file_;
  SimulatedWorld world_;
  int64_t begin_virtual_ms_;
  int64_t begin_wall_ms_;
};

Status same_source(const StoredWorld& stored, const SimulatedSettings& settings) {
  const std::string wanted = settings.jobs.description();
  if (stored.fresh || stored.source == wanted) return {};
  return tl::unexpected(Error{ErrorCode::usage,
                              "holds jobs of another source (" + stored.source +
                                  "; configured is " + wanted +
                                  "): configure that one, or name another file in 'state'",
                              settings.state, 0, 0});
}

}  // namespace

Result<std::unique_ptr<Workload>> open_simulated(const SimulatedSettings& settings, WallClock clock,
                                                 bool read_only, const TimeSource& time) {
  Result<JobsFile> file = JobsFile::open(settings.state, read_only);
  if (!file) return tl::unexpected(file.error());
  Result<StoredWorld> stored = file->load();
  if (!stored) return tl::unexpected(stored.error());
  if (const Status same = same_source(*stored, settings); !same) {
    return tl::unexpected(same.error());
  }
  stored->source = settings.jobs.description();
  Result<JobSource> source = open_source(settings.jobs, stored->arrived);
  if (!source) return tl::unexpected(source.error());
  const Result<std::vector<std::string>> down = down_hosts(*file, settings);
  if (!down) return tl::unexpected(down.error());
  // After a reboot nobody knows how much of the lease is left, so it ends now.
  if (stored->lease_until_ms != INT64_MAX && stored->boot != time.boot_id()) {
    stored->lease_until_ms = time.boottime_ms();
    stored->boot = time.boot_id();
  }
  SimulatedWorld world(settings.hosts, std::move(*stored), std::move(*source));
  world.set_down(*down);
  return std::make_unique<Simulated>(settings, std::move(clock), read_only, time, std::move(*file),
                                     std::move(world));
}

}  // namespace leasehold::agent
