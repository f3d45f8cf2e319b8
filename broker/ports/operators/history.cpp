#include "broker/ports/operators/history.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/views/answer.hpp"
#include "common/check.hpp"

namespace leasehold {

struct HistoryWorker::Desk {
  struct Question {
    uint64_t ticket = 0;
    Request request;
    Json base;
    std::string key;
  };

  HistoryLookup lookup;
  int fd = -1;
  std::mutex mutex;
  std::condition_variable asked;
  std::deque<Question> waiting;
  std::vector<Answer> ready;
  bool over = false;
  std::thread thread;

  void work();
  std::string answer(Question& question);
};

std::string HistoryWorker::Desk::answer(Question& question) {
  Result<Json> found = lookup(question.request);
  Json reply;
  reply["ok"] = found.has_value();
  if (!found) {
    reply["error"] = error_json(found.error());
  } else if (question.key.empty()) {
    reply["result"] = *std::move(found);
  } else {
    question.base[question.key] = *std::move(found);
    reply["result"] = std::move(question.base);
  }
  return reply.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void HistoryWorker::Desk::work() {
  std::unique_lock lock(mutex);
  while (true) {
    asked.wait(lock, [this] { return over || !waiting.empty(); });
    if (over) return;
    Question question = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    std::string text = answer(question);
    lock.lock();
    ready.push_back({question.ticket, std::move(text)});
    const uint64_t one = 1;
    const ssize_t written = write(fd, &one, sizeof one);
    LEASEHOLD_CHECK(written == sizeof one, "an eventfd takes 8 bytes");
  }
}

HistoryWorker::HistoryWorker(HistoryLookup lookup) : desk_(std::make_unique<Desk>()) {
  desk_->lookup = std::move(lookup);
  desk_->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  LEASEHOLD_CHECK(desk_->fd >= 0, "the process may open one more file");
}

HistoryWorker::~HistoryWorker() {
  {
    const std::lock_guard lock(desk_->mutex);
    desk_->over = true;
  }
  desk_->asked.notify_one();
  if (desk_->thread.joinable()) desk_->thread.join();
  close(desk_->fd);
}

int HistoryWorker::fd() const {
  return desk_->fd;
}

bool HistoryWorker::ask(uint64_t ticket, Request request, Json base, std::string key) {
  const std::lock_guard lock(desk_->mutex);
  if (desk_->waiting.size() >= kWaitingMax) return false;
  // With the first question: until then there is nothing to wait for.
  if (!desk_->thread.joinable())
    desk_->thread = std::thread([desk = desk_.get()] { desk->work(); });
  desk_->waiting.push_back({ticket, std::move(request), std::move(base), std::move(key)});
  desk_->asked.notify_one();
  return true;
}

std::vector<HistoryWorker::Answer> HistoryWorker::collect() {
  const std::lock_guard lock(desk_->mutex);
  uint64_t count = 0;
  // Nothing to read is no error: the answers were collected before.
  [[maybe_unused]] const ssize_t got = read(desk_->fd, &count, sizeof count);
  return std::exchange(desk_->ready, {});
}

}  // namespace leasehold
