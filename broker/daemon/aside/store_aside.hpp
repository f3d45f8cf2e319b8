// StoreAside makes the slow calls of a store on another thread, so that the loop, which waits for
// them, can do something meanwhile: a server that stands still would hold it up. Contract: no other
// call is made while one is under way.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "broker/daemon/aside/aside.hpp"
#include "broker/store/store.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

/// A thread whose work another one waits for.
struct WaitedAside {
  static constexpr std::chrono::milliseconds kMeanwhile{50};
  Aside aside;
  std::function<void(int64_t waited_ms)> meanwhile;  // called every kMeanwhile; may be empty

  template <class Act>
  auto run(Act act) -> decltype(act()) {
    const int64_t begun_ms = boottime_ms();
    auto done = aside.begin(std::move(act));
    while (done.wait_for(kMeanwhile) != std::future_status::ready) {
      if (meanwhile) meanwhile(boottime_ms() - begun_ms);
    }
    return done.get();
  }
};

class StoreAside : public Store {
 public:
  StoreAside(std::unique_ptr<Store> store, std::shared_ptr<WaitedAside> aside)
      : store_(std::move(store)), aside_(std::move(aside)) {}

  Result<State> load() override {
    return aside_->run([this] { return store_->load(); });
  }
  Status commit(State& state) override {
    return aside_->run([this, &state] { return store_->commit(state); });
  }
  Status renew() override {
    return aside_->run([this] { return store_->renew(); });
  }
  Status step_down(const std::string& successor) override {
    return aside_->run([this, &successor] { return store_->step_down(successor); });
  }

  void append(const Event& event, Instant now, std::span<const Record> records,
              const State& state) override {
    store_->append(event, now, records, state);
  }
  int64_t coming_bytes() const override { return store_->coming_bytes(); }
  int64_t row_bytes() const override { return store_->row_bytes(); }
  int64_t last_event() const override { return store_->last_event(); }
  bool database_older() const override { return store_->database_older(); }
  const std::string& compaction_error() const override { return store_->compaction_error(); }
  bool loses_nothing() const override { return store_->loses_nothing(); }
  Leads leads() const override { return store_->leads(); }
  int64_t leads_until_ms() const override { return store_->leads_until_ms(); }
  int64_t next_renewal_ms() const override { return store_->next_renewal_ms(); }

 private:
  const std::unique_ptr<Store> store_;
  const std::shared_ptr<WaitedAside> aside_;
};

}  // namespace leasehold
