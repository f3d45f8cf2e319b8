#include "tests/simulation/server/session.hpp"

#include <algorithm>

#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kRenewals = 5;  // as PostgresStore: renewals within the time to live

tl::unexpected<Error> no_answer() {
  return fail(ErrorCode::io, "the database server does not answer");
}

}  // namespace

class ServerStore : public Store {
 public:
  struct Around {
    ServerLine& line;
    const TimeSource& time;
    LeaderFacts facts;
    Reign& reign;
    std::shared_ptr<SeenLog> seen;
    LastCommit& last_commit;
  };
  ServerStore(Around around, DatabaseServer::Taken taken)
      : around_(std::move(around)),
        taken_(std::move(taken)),
        store_(taken_.store),
        server_(around_.line.server),
        breaks_(around_.line.breaks) {
    older_ = taken_.mine.log_end < around_.seen->last_event;
    loses_nothing_ =
        !older_ && leasehold::loses_nothing(taken_.watched, around_.seen->reported) &&
        is_borne_out(taken_.watched, &around_.last_commit, taken_.store->log()) == true;
    around_.seen->epoch = std::max(around_.seen->epoch, taken_.mine.epoch);
    taken_.store.reset();  // only the server has it now, and closes it
  }
  ~ServerStore() override { around_.reign = {}; }

  Result<State> load() override {
    const auto store = store_.lock();
    return store ? store->load() : no_answer();
  }

  void append(const Event& event, Instant now, std::span<const Record> records,
              const State& state) override {
    appended_ = true;
    if (const auto store = store_.lock()) store->append(event, now, records, state);
  }

  Status commit(State& state) override {
    if (!appended_) return usable();
    appended_ = false;
    const Status done = change([&] { return server_->commit(taken_, !led_, state); });
    if (!done) return done;
    led_ = true;
    const LeaderRow& mine = taken_.mine;
    around_.last_commit.keep({mine.epoch, mine.incarnation, true, mine.log_end, mine.log_hash});
    around_.seen->last_event = std::max(around_.seen->last_event, taken_.mine.log_end);
    return done;
  }

  Status renew() override {
    return change([&] { return server_->renew(taken_); });
  }

  Status step_down(const std::string& successor) override {
    const Status done = change([&] { return server_->step_down(taken_, successor); });
    broken_ = true;
    around_.reign = {};
    return done;
  }

  int64_t last_event() const override { return taken_.mine.log_end; }
  bool database_older() const override { return older_; }
  bool loses_nothing() const override { return loses_nothing_; }
  Leads leads() const override {
    return {taken_.mine.epoch, static_cast<uint64_t>(taken_.mine.incarnation),
            around_.facts.ttl_ms};
  }
  int64_t leads_until_ms() const override {
    const int64_t ttl_ms = around_.facts.ttl_ms;
    return broken_ ? INT64_MIN : said_ms_ + ttl_ms - leader_margin_ms(ttl_ms);
  }
  int64_t next_renewal_ms() const override { return said_ms_ + around_.facts.ttl_ms / kRenewals; }

 private:
  Status usable() const { return broken_ ? Status(no_answer()) : Status{}; }
  bool same_session() const {
    return around_.line.reaches() && around_.line.server == server_ &&
           around_.line.breaks == breaks_;
  }

  /// Makes one round trip. Rule 4: any failure ends the leadership.
  template <class Request>
  Status change(const Request& request) {
    if (broken_) return no_answer();
    const int64_t sent_ms = around_.time.boottime_ms();
    const Status done = ask(request);
    if (!done) {
      broken_ = true;
      around_.reign = {};
      return done;
    }
    said_ms_ = sent_ms;
    around_.reign = {taken_.mine.epoch, taken_.mine.incarnation, server_};
    return done;
  }

  template <class Request>
  Status ask(const Request& request) {
    around_.line.on_the_way();
    if (!same_session()) return no_answer();
    taken_.store = store_.lock();
    const Status done = request();
    taken_.store.reset();
    if (std::exchange(around_.line.loses_answer, false)) {
      ++around_.line.breaks;
      return no_answer();
    }
    around_.line.on_the_way();
    if (!same_session()) return no_answer();
    return done;
  }

  Around around_;
  DatabaseServer::Taken taken_;
  std::weak_ptr<SqliteStore> store_;
  DatabaseServer* server_;
  int64_t breaks_;
  int64_t said_ms_ = 0;
  bool older_ = false;
  bool loses_nothing_ = false;
  bool led_ = false;
  bool appended_ = false;
  bool broken_ = false;
};

ServerCandidate::ServerCandidate(ServerLine& line, const TimeSource& time, LeaderFacts facts,
                                 Reign& reign, LastCommit& last_commit)
    : line_(line),
      time_(time),
      facts_(std::move(facts)),
      reign_(reign),
      last_commit_(last_commit) {}

LeaderWatch::Self ServerCandidate::self() const {
  return {facts_.holder, own_, stepped_down_};
}

Result<Candidacy> ServerCandidate::look() {
  line_.on_the_way();
  const std::string present = line_.reaches() ? line_.server->row().present : "";
  // A row that another session watched may have been another server's.
  if (present != session_ || breaks_ != line_.breaks) watch_ = {};
  session_ = present;
  breaks_ = line_.breaks;
  if (present.empty()) return no_answer();
  const LeaderRow read = line_.server->read();
  line_.on_the_way();
  watch_.saw(read, time_.boottime_ms());
  const LeaderRow& row = watch_.row();
  seen_->epoch = std::max(seen_->epoch, row.epoch);
  seen_->last_event = std::max(seen_->last_event, row.log_end);
  if (row.seen_led && row.incarnation != own_) {
    last_commit_.keep({row.epoch, row.incarnation, false, row.log_end, row.log_hash});
  }
  const bool led = !row.stepped_down && row.incarnation != own_;
  return Candidacy{watch_.may_take_over(self(), time_.boottime_ms()),
                   row.holder,
                   row.endpoints,
                   row.epoch,
                   row.log_end,
                   led,
                   watch_.wait_ms(self(), time_.boottime_ms()),
                   false,
                   watch_.evidence(self(), time_.boottime_ms())};
}

Result<std::unique_ptr<Store>> ServerCandidate::take_over() {
  const LeaderRow watched = watch_.row();
  watch_ = {};
  const std::string session = std::exchange(session_, "");
  if (!line_.reaches() || line_.server->row().present != session) return no_answer();
  auto taken = line_.server->take_over(watched, seen_->epoch, facts_);
  if (!taken) return tl::unexpected(taken.error());
  own_ = taken->mine.incarnation;
  stepped_down_ = false;
  return std::unique_ptr<Store>(std::make_unique<ServerStore>(
      ServerStore::Around{line_, time_, facts_, reign_, seen_, last_commit_}, std::move(*taken)));
}

void ServerCandidate::saw_epoch(int64_t epoch, uint64_t incarnation) {
  seen_->epoch = std::max(seen_->epoch, epoch);
  seen_->reported.saw(epoch, static_cast<int64_t>(incarnation));
}

}  // namespace leasehold::simulation
