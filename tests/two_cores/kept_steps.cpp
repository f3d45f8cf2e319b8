// Writes the steps of a database's log: each input from the state that the log has before its
// commit, and the ticks between them.
//
//   kept_steps DATABASE FILE
#include <iostream>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/follow_log.hpp"
#include "tests/two_cores/steps.hpp"

using namespace leasehold;

namespace {

class Writer {
 public:
  explicit Writer(const std::string& file) : out_(file, std::ios::binary | std::ios::app) {}

  /// The inputs of the row that was read last.
  Status write(FollowedLog& log) {
    State state = log.state();
    HistoryRow row;
    for (int64_t i = 0; i < log.body().events(); ++i) {
      if (const Status read = log.body().event(i, row); !read) return read;
      if (!is_input(row)) continue;
      const Result<Event> event = decode_event(row.payload);
      if (!event) return tl::unexpected(event.error());
      if (!std::holds_alternative<BrokerStarted>(*event)) tick_before(state, row.time);
      write(state, *event, row.time);
    }
    return {};
  }
  int64_t written() const { return written_; }

 private:
  void tick_before(State& state, Instant until) {
    for (Instant at = next_deadline(state); at < until; at = next_deadline(state)) {
      write(state, Tick{}, std::max(at, state.now));
    }
  }
  void write(State& state, const Event& event, Instant now) {
    if (now < state.now && !std::holds_alternative<ClockSet>(event)) return;
    two_cores::Step kept{now.ms, {}, {}};
    encode_event(event, kept.event);
    encode_state(state, kept.state);
    two_cores::write_step(out_, kept);
    ++written_;
    effects_.clear();
    step(state, event, now, effects_);
  }

  std::ofstream out_;
  Effects effects_;
  int64_t written_ = 0;
};

Status write_all(const std::string& database, Writer& writer) {
  const auto log = open_log(database);
  if (!log) return tl::unexpected(log.error());
  Result<FollowedLog> followed = FollowedLog::begin_oldest(**log);
  if (!followed) return tl::unexpected(followed.error());
  while (true) {
    const Result<bool> there = followed->read();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return {};
    if (const Status done = writer.write(*followed); !done) return done;
    if (const Status done = followed->apply(); !done) return done;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "kept_steps DATABASE FILE\n";
    return 2;
  }
  Writer writer(argv[2]);
  const Status done = write_all(argv[1], writer);
  if (!done) {
    std::cerr << "kept_steps: " << done.error().message << "\n";
    return 1;
  }
  std::cout << argv[1] << ": " << writer.written() << " steps\n";
  return 0;
}
