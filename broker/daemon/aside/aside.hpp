// Aside is a thread for work that may have to wait for the database, done one piece after the
// other, so that whoever asked for it can stop waiting. Work that was begun is done to its end.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

namespace leasehold {

class Aside {
 public:
  Aside() : thread_([this] { work(); }) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside();  // waits for all that was begun

  /// Has `act` done on the thread. Contract: what `act` refers to lives until it is done, whether
  /// anybody waits for it or not.
  template <class Act>
  auto begin(Act act) -> std::future<decltype(act())> {
    auto task = std::make_shared<std::packaged_task<decltype(act())()>>(std::move(act));
    auto done = task->get_future();
    put([task] { (*task)(); });
    return done;
  }

 private:
  void put(std::function<void()> task);
  void work();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace leasehold
