// Checks that change the fence of one host, and remove it again. The host is an own one that is not
// leased, or an imported one under its local name, which is then opened for a moment.
#include <algorithm>

#include "agent/workload/command/answers.hpp"
#include "agent/workload/conformance/trial.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

constexpr const char* kNobody = "leasehold-nobody@nowhere";
constexpr int kLooks = 5;  // at a closed host
constexpr int64_t kLookMs = 500;

/// The fence under test.
class Fence {
 public:
  Fence(Trial& trial, const TrialFindings& findings) : trial_(trial), findings_(findings) {
    const auto own = std::find_if(findings.view.hosts.begin(), findings.view.hosts.end(),
                                  [&](const auto& host) { return host.name == trial.host(); });
    imported_ = own == findings.view.hosts.end();
    most_ = imported_ ? 1 : own->slots;
    part_ = std::max(1, most_ - 1);
  }

  int32_t most() const { return most_; }
  /// Returns one slot less than the host has, which finds a program that knows only open and
  /// closed.
  int32_t part() const { return part_; }

  Status set(const std::string& host, int32_t slots, bool remove) {
    ordered_json cap{
        {"host", host}, {"imported", imported_}, {"slots", slots}, {"own", imported_ ? 0 : slots},
        {"mem_mb", 0},  {"swap_mb", 0},          {"grace_ms", 0},  {"remove", remove}};
    return enforce({std::move(cap)});
  }
  Status set(int32_t slots) { return set(trial_.host(), slots, false); }
  Status remove() { return set(trial_.host(), imported_ ? 0 : most_, true); }
  Status enforce(std::vector<ordered_json> caps) {
    const Result<std::string> text = trial_.ask("enforce", {{"caps", caps}});
    if (!text) return tl::unexpected(text.error());
    return read_done(*text);
  }

  Result<View> look() const {
    std::vector<std::string> imported;
    if (imported_) imported.push_back(trial_.host());
    return read_now(trial_, findings_.traits, imported);
  }

  /// Checks that `read` reports this cap, and all others as before. -1: no cap.
  Status stands(int32_t slots) const {
    const Result<View> view = look();
    if (!view) return tl::unexpected(view.error());
    std::vector<HostCap> others = view->caps;
    const auto own = std::find_if(others.begin(), others.end(),
                                  [&](const HostCap& cap) { return cap.host == trial_.host(); });
    const int32_t shown = own == others.end() ? -1 : own->slots;
    if (own != others.end()) others.erase(own);
    if (others != findings_.view.caps) return wrong("fences of other hosts are not what they were");
    if (shown == slots) return {};
    const auto words = [](int32_t of) { return of < 0 ? "none" : "one of " + std::to_string(of); };
    return wrong("'caps' of `read` has " + words(shown) + " for the host; " + words(slots) +
                 " would be right");
  }

  Status set_and_stands(int32_t slots) {
    if (const Status done = set(slots); !done) return done;
    return stands(slots);
  }

  Result<int32_t> used() const {
    const Result<View> view = look();
    if (!view) return tl::unexpected(view.error());
    for (const HostLoad& load : view->loads) {
      if (load.host == trial_.host()) return load.used;
    }
    return fail(ErrorCode::io, "'loads' does not have the host");
  }

 private:
  Trial& trial_;
  const TrialFindings& findings_;
  bool imported_ = false;
  int32_t most_ = 0;
  int32_t part_ = 0;
};

Status refused(const Status& done, const char* what) {
  return done ? wrong(what) : Status{};
}

/// Checks that no new work starts there, while running work goes on.
Status stays_closed(Trial& trial, const Fence& fence, int64_t delay_ms) {
  trial.pause(delay_ms);
  Result<int32_t> before = fence.used();
  if (!before) return tl::unexpected(before.error());
  for (int looks = 0; looks < kLooks; ++looks) {
    trial.pause(kLookMs);
    const Result<int32_t> now = fence.used();
    if (!now) return tl::unexpected(now.error());
    if (*now > *before) {
      return wrong("'used' rose from " + std::to_string(*before) + " to " + std::to_string(*now) +
                   " while the host was closed");
    }
    before = now;
  }
  return {};
}

/// Checks that the given host is as all further checks need it.
Status ready(const Fence& fence) {
  const Result<View> view = fence.look();
  if (!view) return tl::unexpected(view.error());
  if (const Result<int32_t> used = fence.used(); !used) return tl::unexpected(used.error());
  if (fence.most() < 1) return wrong("the host has no slots");
  return fence.stands(-1);
}

void check_fence(Trial& trial, Fence& fence, int64_t delay_ms) {
  const int32_t part = fence.part();
  trial.judge("enforce: a cap is in force", "`read` shows it, and other hosts as before",
              fence.set_and_stands(part));
  trial.judge("enforce: the same again", "no error, the same cap", fence.set_and_stands(part));
  trial.judge("enforce: no caps", "no error, nothing changed", [&]() -> Status {
    if (const Status done = fence.enforce({}); !done) return done;
    return fence.stands(part);
  }());
  trial.judge("enforce: closed", "a cap of 0 is in force", fence.set_and_stands(0));
  trial.judge("enforce: a closed host stays closed",
              "no work starts there, and the cap stays when nothing is asked", [&]() -> Status {
                if (const Status shut = stays_closed(trial, fence, delay_ms); !shut) return shut;
                return fence.stands(0);
              }());
  const Status done = fence.remove();
  trial.judge("enforce: removed", "`read` shows no cap there", done ? fence.stands(-1) : done);
  const Status again = fence.remove();
  trial.judge("enforce: removed again", "no error: it is gone already",
              again ? fence.stands(-1) : again);
}

void check_strangers(Trial& trial, Fence& fence, int64_t level) {
  trial.judge("enforce: a host that nobody knows",
              "an error: a cap that is answered is in force, and this one cannot be",
              refused(fence.set(kNobody, 0, false), "the answer was as if the cap were in force"));
  trial.judge("enforce: after that", "nothing changed", fence.stands(-1));
  const auto answered = [&](const char* request, ordered_json more) -> Status {
    const Result<std::string> text = trial.ask(request, more);
    if (!text) return tl::unexpected(text.error());
    return read_done(*text);
  };
  trial.judge("requeue: a job that is gone", "no error",
              answered("requeue", {{"job", "leasehold-nobody"}}));
  trial.judge(
      "interrupt: a job that is gone", "no error",
      answered("interrupt", {{"job", "leasehold-nobody"}, {"grace_ms", 0}, {"signal", "URG"}}));
  const char* quiet = "interrupt: with the signal none";
  if (level >= kCommandLevel) {
    trial.judge(
        quiet, "no error: most jobs get none",
        answered("interrupt", {{"job", "leasehold-nobody"}, {"grace_ms", 0}, {"signal", "none"}}));
  } else {
    trial.skip(quiet, "no error: most jobs get none",
               "'level' of describe is 1: the signal URG is given in its place");
  }
}

}  // namespace

void check_changing(Trial& trial, const TrialFindings& findings) {
  Fence fence(trial, findings);
  const bool good = trial.judge("enforce: the host given",
                                "it is known, has slots, and is not fenced now", ready(fence));
  if (!good) return trial.skip("enforce, requeue, interrupt", "checked", "the host will not do");
  check_fence(trial, fence, findings.traits.settle_ms);
  check_strangers(trial, fence, findings.level);
}

}  // namespace leasehold::agent
