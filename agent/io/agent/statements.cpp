#include "agent/io/agent/statements.hpp"

#include <algorithm>

#include "agent/core/limits/book_use.hpp"

namespace leasehold::agent {

namespace {

/// A broker refuses higher numbers, and wanting more would gain the cluster nothing.
constexpr int64_t kSlotsReported = 1'000'000'000;

void add_all(const Book& book, const std::vector<GroupUse>& use, bool unknown_too,
             wire::StateBlock& state) {
  for (size_t i = 0; i < book.groups().size(); ++i) {
    add_state(book.groups()[i], use[i], unknown_too, state);
  }
}

}  // namespace

void Statements::knock() {
  wire::Heartbeat knock;
  parts_.contact.say_seen(knock);
  send_(knock);
}

void Statements::last_word(int64_t sent_ms, int64_t now_ms) {
  wire::Heartbeat word;
  word.cluster = cluster_;
  word.clock = parts_.contact.reading_of(wire::ClockReading{0, 0, sent_ms, now_ms});
  if (!word.clock) return;
  parts_.contact.say_seen(word);
  send_(word);
}

void Statements::hello(wire::Hello hello, const TimeSource& clocks) {
  hello.cluster = cluster_;
  hello.incarnation = parts_.contact.session().incarnation();
  add_all(parts_.limits.book(), parts_.enforcement.use(), true, hello.state);
  parts_.contact.say_seen(hello);
  reports_.begin_session(hello.session);
  hello.wall_ms = clocks.wall_time().ms;
  hello.clock = parts_.contact.reading();
  send_(hello);
  inventory();
}

void Statements::inventory() {
  const Session& session = parts_.contact.session();
  parts_.host_waker.hosts().sent_inventory(session.last_heartbeat());
  send_(
      wire::Inventory{session.session(), reports_.take_inventory(parts_.enforcement.view().hosts)});
}

void Statements::state(uint64_t generation) {
  Session& session = parts_.contact.session();
  if (!session.open()) return;
  const Book& book = parts_.limits.book();
  wire::State state;
  state.session = session.session();
  state.configuration = book.configuration().number;
  state.number = session.next_statement();
  for (size_t i = 0; i < book.groups().size(); ++i) {
    if (book.groups()[i].limits.generation == generation) {
      add_state(book.groups()[i], parts_.enforcement.use()[i], true, state.state);
    }
  }
  send_(state);
}

void Statements::heartbeat(int64_t now_ms) {
  const uint64_t number = parts_.contact.session().next_heartbeat();
  parts_.contact.lease().sent(number, now_ms);
  wire::Heartbeat heartbeat{parts_.contact.session().session(), number, reports_.number()};
  heartbeat.ended = parts_.of_work.fates.unreported();
  heartbeat.used = parts_.of_work.usage.unreported();
  heartbeat.clock = parts_.contact.reading();
  if (const std::optional<int64_t> looked_ms = parts_.enforcement.looked_ms()) {
    heartbeat.look_age_ms = std::max<int64_t>(0, now_ms - *looked_ms);
  }
  send_(heartbeat);
}

void Statements::stopping() {
  Session& session = parts_.contact.session();
  if (!session.open()) return;
  send_(wire::Heartbeat{session.session(), session.next_heartbeat(), reports_.number(), true});
}

Picture Statements::picture(int64_t lease_ms) const {
  const View& view = parts_.enforcement.view();
  const Book& book = parts_.limits.book();
  Picture picture;
  picture.configuration = book.configuration().number;
  picture.pending = std::min(view.pending, kSlotsReported);
  picture.running = std::min(view.running, kSlotsReported);
  picture.degraded = parts_.failures.degraded();
  picture.lease_ms = lease_ms;
  if (view.shapes) picture.demand = demand_of(view.shapes->waiting);
  picture.ending = parts_.enforcement.expected_ends();
  add_all(book, parts_.enforcement.use(), false, picture.state);
  picture.hosts = reports_.use_of(view.loads);
  return picture;
}

void Statements::report(int64_t lease_ms, int64_t now_ms) {
  if (!reports_.begin(parts_.enforcement.seen(), parts_.failures.degraded(), now_ms)) return;
  parts_.enforcement.count_use();
  if (const std::optional<wire::Report> report = reports_.make(picture(lease_ms))) send_(*report);
}

}  // namespace leasehold::agent
