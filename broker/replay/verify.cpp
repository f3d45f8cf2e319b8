#include "broker/replay/verify.hpp"

#include <set>

#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/replay/verify_rows.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/follow_log.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// The core relies on an input's cluster being known, because the broker refuses others. A history
/// from elsewhere may name any cluster.
std::optional<std::string> unknown_cluster(const State& state, const Event& event) {
  return std::visit(
      [&](const auto& input) -> std::optional<std::string> {
        if constexpr (requires { input.cluster; }) {
          const bool none_needed = std::is_same_v<decltype(input), const OperatorCommand&>;
          if (none_needed && input.cluster.empty()) return std::nullopt;
          if (find_cluster(state, input.cluster) == kNoIndex) return input.cluster;
        }
        return std::nullopt;
      },
      event);
}

/// Gives a history to the core, commit by commit, and stops at the first difference.
class Verifier {
 public:
  /// `least_batch`: the log must have at least so many commits, by the file beside it.
  Verifier(Log& kept, const std::vector<BasePlace>& bases, FollowedLog log, int64_t least_batch)
      : kept_(kept), log_(std::move(log)), least_batch_(least_batch) {
    for (const BasePlace& base : bases) {
      if (base.last_event > log_.last_event()) bases_.insert(base.last_event);
    }
  }
  Result<VerifyReport> run();

 private:
  void begin();
  bool next_row();
  void check_place();
  void judge();
  void begin_judging();
  bool judge_input(const HistoryRow& row);
  void compare_bodies(const LogRow& computed);
  void check_base();
  void pass_over();
  void check_end();
  bool found() const { return report_.difference.has_value(); }
  void differ(const std::string& what, std::string recorded, std::string computed);
  void differ(std::optional<Difference> difference, const std::string& of);

  Log& kept_;
  FollowedLog log_;  // follows the images
  VerifyReport report_;
  State computed_;
  bool judging_ = false;
  int64_t at_ = 0;  // the event being compared
  int64_t batch_ = 0;
  int64_t least_batch_;
  std::set<int64_t> bases_;  // still to come
  BodyWriter body_;
  ImageWriter images_;
  Effects effects_;
};

void Verifier::differ(const std::string& what, std::string recorded, std::string computed) {
  if (!found()) report_.difference = {at_, what, std::move(recorded), std::move(computed)};
}

void Verifier::differ(std::optional<Difference> difference, const std::string& of) {
  if (difference) differ(of + difference->what, difference->recorded, difference->computed);
}

void Verifier::begin() {
  report_.first_event = log_.next_event();
  batch_ = log_.base() ? log_.base()->batch : 0;
  // A log that was shortened begins in the middle of what one core decided.
  if (!log_.base() || log_.base()->core_version == kCoreVersion) begin_judging();
}

void Verifier::begin_judging() {
  judging_ = true;
  computed_ = log_.state();
  clear_marks(computed_);
  images_.begin(computed_);
}

bool Verifier::next_row() {
  at_ = log_.next_event();
  const Result<bool> there = log_.read();
  if (there) return *there;
  differ("log", there.error().message, "a row that can be read, with its hash");
  return false;
}

void Verifier::check_place() {
  const LogRow& row = log_.row();
  ++batch_;
  if (row.batch != batch_) {
    differ("batch", std::to_string(row.batch), std::to_string(batch_));
  }
  if (row.time < log_.state().now && !row.clock_set) {
    differ("time", format_utc(row.time), "not before " + format_utc(log_.state().now));
  }
  ++report_.batches;
  report_.events += log_.body().events();
  report_.last_event = log_.row_end();
}

void Verifier::pass_over() {
  judging_ = false;
  const LogRow& row = log_.row();
  std::vector<OtherCore>& parts = report_.not_judged;
  const bool goes_on = !parts.empty() && parts.back().core_version == row.core_version &&
                       parts.back().last_event + 1 == row.first_event;
  if (!goes_on) parts.push_back({row.core_version, row.first_event, 0});
  parts.back().last_event = log_.row_end();
}

bool Verifier::judge_input(const HistoryRow& row) {
  ++report_.inputs;
  Result<Event> event = decode_event(row.payload);
  if (!event) {
    differ("payload", event.error().message, "an event");
    return false;
  }
  if (const std::optional<std::string> cluster = unknown_cluster(computed_, *event)) {
    differ("cluster", *cluster, "one that the configuration names");
    return false;
  }
  const RecordedInput input{row.time, std::move(*event)};
  if (input.now < computed_.now && !std::holds_alternative<ClockSet>(input.event)) {
    differ("time", format_utc(input.now), "not before " + format_utc(computed_.now));
    return false;
  }
  if (const Status done = make_ticks_before(computed_, input, effects_); !done) {
    differ("input missing before it", "nothing", done.error().message);
    return false;
  }
  effects_.clear();
  if (!step(computed_, input.event, input.now, effects_)) {
    differ("effect", "an input that changed something", "it changes nothing");
  }
  body_.add(input.event, input.now);
  const std::string_view by = by_whom(input.event);
  for (const Record& record : effects_.records) body_.add(record, input.now, computed_, by);
  return !found();
}

/// Lets the core decide the commit again, which must give the same bytes.
void Verifier::judge() {
  HistoryRow row;
  for (int64_t i = 0; i < log_.body().events(); ++i) {
    at_ = log_.row().first_event + i;
    if (const Status read = log_.body().event(i, row); !read) {
      return differ("event", read.error().message, "one that can be read");
    }
    if (is_input(row) && !judge_input(row)) return;
    report_.records += is_input(row) ? 0 : 1;
  }
  at_ = log_.row().first_event;
  if (body_.empty()) return differ("inputs", "none", "one at the least");
  LogRow computed = log_.row();
  computed.body.clear();
  std::string image_bytes;
  images_.write(computed_, image_bytes, groups_as(log_.body().images()));
  body_.finish(image_bytes, computed.body);
  clear_marks(computed_);
  if (computed.body != log_.row().body) compare_bodies(computed);
}

void Verifier::compare_bodies(const LogRow& computed) {
  const Result<LogBody> again = LogBody::read(computed);
  if (!again) return differ("computed", "a commit", again.error().message);
  differ(first_difference(log_.body(), *again, log_.row().first_event, at_), "");
  if (found()) return;
  if (const Status done = log_.apply(); !done) {
    return differ("what it changed", done.error().message, "rows of the state");
  }
  differ(first_difference(log_.state(), computed_), "what it changed: ");
  differ("what it changed", kOtherBytes, kOtherBytes);
}

void Verifier::check_base() {
  if (bases_.erase(log_.last_event()) == 0) return;
  const Result<std::optional<Base>> base = newest_base(kept_, log_.last_event());
  if (!base || !*base) {
    return differ("base", base ? "none" : base.error().message, "one that can be read");
  }
  if ((*base)->log_hash != log_.row().hash) {
    return differ("hash before the base", hex((*base)->log_hash), hex(log_.row().hash));
  }
  const Result<State> kept = decode_state((*base)->state);
  if (!kept) return differ("base", kept.error().message, "a state");
  differ(first_difference(*kept, judging_ ? computed_ : log_.state()), "base: ");
}

/// The images alone must lead to the state that the core came to, those members too that a start
/// resets.
void Verifier::check_end() {
  at_ = report_.last_event;
  if (!bases_.empty()) {
    differ("base", "after event " + std::to_string(*bases_.begin()), "after the end of a commit");
  }
  if (batch_ < least_batch_) {
    differ("last commit", std::to_string(batch_), std::to_string(least_batch_));
  }
  if (!judging_ || found()) return;
  differ(first_difference(log_.state(), computed_), "images: ");
  if (!found()) differ(difference_but_reset(log_.state(), computed_), "images: ");
}

Result<VerifyReport> Verifier::run() {
  begin();
  while (!found() && next_row()) {
    check_place();
    if (found()) break;
    if (log_.row().core_version != kCoreVersion) {
      pass_over();
    } else {
      if (!judging_) begin_judging();
      judge();
    }
    if (found()) break;
    if (const Status done = log_.apply(); !done) {
      differ("what it changed", done.error().message, "rows of the state");
      break;
    }
    clear_marks(log_.state());
    check_base();
  }
  if (!found()) check_end();
  return report_;
}

}  // namespace

int64_t VerifyReport::judged() const {
  int64_t judged = events;
  for (const OtherCore& part : not_judged) judged -= part.last_event - part.first_event + 1;
  return judged;
}

Result<VerifyReport> verify(Log& log) {
  // This is read first, because a running broker goes on counting.
  const Result<int64_t> elsewhere = log.commits_elsewhere();
  if (!elsewhere) return tl::unexpected(elsewhere.error());
  const auto one_view = log.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  const Result<std::vector<BasePlace>> bases = log.bases();
  if (!bases) return tl::unexpected(bases.error());
  Result<FollowedLog> oldest = FollowedLog::begin_oldest(log);
  if (!oldest) {
    if (oldest.error().code != ErrorCode::corrupt) return tl::unexpected(oldest.error());
    VerifyReport report;
    report.difference = {0, "beginning", oldest.error().message, "a state that can be read"};
    return report;
  }
  return Verifier(log, *bases, std::move(*oldest), *elsewhere).run();
}

Result<VerifyReport> verify_database(const std::string& database) {
  const auto log = open_log(database);
  if (!log) return tl::unexpected(log.error());
  return verify(**log);
}

std::string describe(const Difference& difference) {
  const std::string where =
      difference.event_id == 0 ? "the log" : "event " + std::to_string(difference.event_id);
  if (difference.recorded == kOtherBytes) {
    return where + ": " + difference.what + ": the bytes recorded differ from those computed again";
  }
  return where + ": " + difference.what + ": the database says " + difference.recorded +
         ", the core says " + difference.computed;
}

}  // namespace leasehold
