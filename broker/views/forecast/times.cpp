// Turns courses into times: in order, each with what it rests on, in words.
#include <algorithm>
#include <utility>

#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/views/forecast/course.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::forecasting {

namespace {

using rows::count_of;

/// Says by how much reports of ends were wrong.
std::string trust(const Forecast& forecast) {
  if (!forecast.ending_reported) return ", of which nothing is reported";
  if (forecast.error_milli < 0) return " by its limits; none has ended yet to compare with";
  return " by its limits and by how long such work ran, wrong by " +
         std::to_string((forecast.error_milli + 5) / 10) + " % on the average";
}

void add(Moment& moment, Basis basis, int64_t slots, const std::string& sentence) {
  if (slots > 0) moment.rests_on.push_back({basis, slots, sentence});
}

std::vector<Premise> premises(const Forecast& forecast, const Course& course, Basis other_source,
                              const std::string& source_name) {
  Moment moment;
  add(moment, Basis::idle, course.idle,
      count_of(course.idle, "slot") + " idle at " + forecast.cluster + " now");
  add(moment, Basis::in_transfer, course.in_transfer,
      count_of(course.in_transfer, "slot") + " on the way to " + forecast.cluster);
  add(moment, other_source, course.moved, count_of(course.moved, "slot") + " from " + source_name);
  add(moment, Basis::running, course.ended,
      count_of(course.ended, "slot") + " that work at " + forecast.cluster + " leaves" +
          trust(forecast));
  add(moment, Basis::waiting, course.taken,
      count_of(course.taken, "slot") +
          " less, which work that waits there, or new work, takes first");
  return moment.rests_on;
}

/// Returns all possible causes why nothing bounds a time.
std::vector<Premise> unbounded(const Forecast& forecast) {
  std::vector<Premise> why = forecast.holds;
  if (!forecast.ending_reported) {
    why.push_back({Basis::ending_unreported, 0,
                   "nothing is reported of when work at " + forecast.cluster + " ends"});
  }
  if (why.empty()) {
    why.push_back({Basis::not_obliged, 0,
                   "no rule makes anybody give up so many slots, or it is not known when their "
                   "work ends"});
  }
  return why;
}

}  // namespace

int64_t on_grid(int64_t next_ms, int64_t delay_ms, int64_t at_ms) {
  if (at_ms <= next_ms) return next_ms;
  const int64_t delay = std::max<int64_t>(1, delay_ms);  // a hand-made database may have 0
  return next_ms + (at_ms - next_ms + delay - 1) / delay * delay;
}

FreezeAhead freeze_ahead(const State& state, Forecast& forecast) {
  if (!state.freeze_ahead) return {};
  const OrderInForce& order = *state.freeze_ahead;
  const bool ends = order.until != kNever;
  forecast.holds.push_back({Basis::frozen, 0,
                            "an operator freezes the leases from " + format_utc(begin_of(order)) +
                                (ends ? " until " + format_utc(order.until) : ": leasectl thaw")});
  return {begin_of(order) - forecast.now, ends ? order.until - forecast.now : kNotAtAll};
}

int64_t on_grid_unless_frozen(int64_t next_ms, int64_t delay_ms, int64_t at_ms,
                              const FreezeAhead& freeze) {
  const int64_t evaluation_ms = on_grid(next_ms, delay_ms, at_ms);
  if (!freeze.covers(evaluation_ms)) return evaluation_ms;
  return freeze.until_ms == kNotAtAll ? kNotAtAll : on_grid(next_ms, delay_ms, freeze.until_ms);
}

Instant frozen_until(const State& state) {
  const Instant until = state.freeze_order.until;
  const auto& ahead = state.freeze_ahead;
  return ahead && begin_of(*ahead) <= until ? std::max(ahead->until, until) : until;
}

Course finish_course(Course course, int64_t at_ms, const Work& asked) {
  course.at_ms = at_ms;
  course.ended = asked.ended();
  course.taken = asked.taken();
  for (int64_t* came : {&course.moved, &course.idle, &course.in_transfer, &course.ended}) {
    const int64_t went = std::min(*came, course.lost);
    *came -= went;
    course.lost -= went;
  }
  return course;
}

/// The courses are independent scenarios, so a more pessimistic one may find slots sooner. The
/// times are therefore sorted: each outlook takes the sooner of its own and those of later ones.
void add_times(Forecast& forecast, const std::array<Course, kOutlooks>& courses, Basis other_source,
               const std::string& source_name) {
  std::array<size_t, kOutlooks> by_time{0, 1, 2};
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](size_t a, size_t b) { return courses[a].at_ms < courses[b].at_ms; });
  for (size_t at = 0; at < kOutlooks; ++at) {
    const Course& course = courses[by_time[at]];
    Moment& moment = forecast.times[at];
    if (course.at_ms >= kNotAtAll) {
      moment.rests_on = unbounded(forecast);
      continue;
    }
    moment.at = forecast.now + course.at_ms;
    moment.rests_on = premises(forecast, course, other_source, source_name);
  }
}

Instant next_evaluation(const Grid& grid, Instant now) {
  return grid.next == kNever || grid.next > now ? grid.next : next_on_grid(grid, now);
}

void add_unknown(Forecast& forecast, const Premise& premise) {
  for (Moment& moment : forecast.times) moment.rests_on = {premise};
}

void set_obstacle(Forecast& forecast, std::string words) {
  forecast.possible = false;
  add_unknown(forecast, {Basis::limit, 0, words});
  forecast.obstacle = std::move(words);
}

int64_t ms_until(Instant at, Instant now) {
  if (at == kNever) return kNotAtAll;
  return at <= now ? 0 : std::min(kNotAtAll, at - now);
}

void note_reserved(Forecast& forecast, const Reserved& reserved) {
  const auto hold = [&](int64_t slots, const std::string& when) {
    if (slots == 0) return;
    forecast.holds.push_back({Basis::host_away, 0,
                              count_of(slots, "slot") + " on hosts that their owner has reserved " +
                                  "are not counted" + when});
  };
  hold(reserved.closed, "");
  if (reserved.later == 0) return;
  const bool at_once = reserved.first_ms == reserved.last_ms;
  hold(reserved.later, std::string(at_once ? "" : ", the first of them") + " from " +
                           format_utc(forecast.now + reserved.first_ms) + " on");
}

}  // namespace leasehold::forecasting
