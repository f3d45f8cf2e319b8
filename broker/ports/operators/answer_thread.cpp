#include "broker/ports/operators/answer_thread.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "common/wake_fd.hpp"

namespace leasehold {

struct AnswerThread::Worker {
  struct Question {
    uint64_t ticket = 0;
    Making making;
  };
  using Time = std::chrono::steady_clock::time_point;

  Options options;
  WakeFd answered;
  std::mutex mutex;
  std::condition_variable asked;
  std::deque<Question> waiting;
  std::vector<Answer> ready;
  bool woken = false;
  bool over = false;
  Time meanwhile_next;
  std::thread thread;

  void begin();
  void work();
  void answer(std::unique_lock<std::mutex>& lock);
  void put(Answer answer);
  void do_meanwhile(std::unique_lock<std::mutex>& lock);
};

/// Starts the thread with the first question or wake(): until then it has nothing to do.
void AnswerThread::Worker::begin() {
  if (!thread.joinable()) thread = std::thread([this] { work(); });
}

void AnswerThread::Worker::work() {
  std::unique_lock lock(mutex);
  while (!over) {
    const auto called = [this] { return over || !waiting.empty(); };
    if (!woken) {
      asked.wait(lock, [&] { return called() || woken; });
    } else if (!asked.wait_until(lock, meanwhile_next, called)) {
      do_meanwhile(lock);
    }
    if (!over && !waiting.empty()) answer(lock);
  }
}

void AnswerThread::Worker::answer(std::unique_lock<std::mutex>& lock) {
  const Question question = std::move(waiting.front());
  waiting.pop_front();
  lock.unlock();
  std::string text = question.making();
  lock.lock();
  put({question.ticket, std::move(text)});
}

/// Contract: the mutex is held.
void AnswerThread::Worker::put(Answer answer) {
  ready.push_back(std::move(answer));
  answered.wake();
}

void AnswerThread::Worker::do_meanwhile(std::unique_lock<std::mutex>& lock) {
  woken = false;
  lock.unlock();
  options.meanwhile();
  lock.lock();
  meanwhile_next =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options.meanwhile_every_ms);
}

AnswerThread::AnswerThread(Options options) : worker_(std::make_unique<Worker>()) {
  worker_->options = std::move(options);
}

AnswerThread::~AnswerThread() {
  end();
}

void AnswerThread::end() {
  {
    const std::lock_guard lock(worker_->mutex);
    worker_->over = true;
  }
  worker_->asked.notify_one();
  if (worker_->thread.joinable()) worker_->thread.join();
}

int AnswerThread::fd() const {
  return worker_->answered.fd();
}

bool AnswerThread::ask(uint64_t ticket, Making making) {
  const std::lock_guard lock(worker_->mutex);
  if (worker_->over || worker_->waiting.size() >= worker_->options.waiting_max) return false;
  worker_->begin();
  worker_->waiting.push_back({ticket, std::move(making)});
  worker_->asked.notify_one();
  return true;
}

void AnswerThread::tell(uint64_t ticket, std::string part) {
  const std::lock_guard lock(worker_->mutex);
  worker_->put({ticket, std::move(part), false});
}

void AnswerThread::wake() {
  if (!worker_->options.meanwhile) return;
  const std::lock_guard lock(worker_->mutex);
  if (worker_->over) return;
  worker_->begin();
  if (std::exchange(worker_->woken, true)) return;
  worker_->asked.notify_one();
}

std::vector<AnswerThread::Answer> AnswerThread::collect() {
  const std::lock_guard lock(worker_->mutex);
  worker_->answered.clear();
  return std::exchange(worker_->ready, {});
}

}  // namespace leasehold
