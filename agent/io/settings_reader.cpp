#include "agent/io/settings_reader.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <system_error>

#include "common/wake_fd.hpp"

namespace leasehold::agent {

namespace {

std::atomic<int> threads_left = 0;  // threads without their reader

}  // namespace

/// The state that the thread and its owner share; the thread may release it last.
struct SettingsReader::Work {
  explicit Work(Read how) : read(std::move(how)) {}

  const Read read;
  WakeFd ended;
  std::mutex mutex;
  std::optional<int64_t> asked_ms;  // last, for a reading that has not begun
  std::optional<int64_t> since_ms;  // when what is being read was asked for
  bool is_left = false;             // the reader is gone, and the thread still reads
  std::optional<Result<SettingsRead>> found;
};

SettingsReader::SettingsReader(Read read) : work_(std::make_shared<Work>(std::move(read))) {}

SettingsReader::~SettingsReader() {
  if (!thread_.joinable()) return;
  bool is_left = false;
  {
    const std::lock_guard lock(work_->mutex);
    work_->asked_ms.reset();
    is_left = work_->is_left = work_->since_ms.has_value();
    if (is_left) ++threads_left;
  }
  if (is_left) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

int SettingsReader::left_reading() {
  return threads_left.load();
}

void SettingsReader::work(std::shared_ptr<Work> work) {
  if (!read_all(*work)) return;
  work.reset();
  --threads_left;  // last: the process may end as usual from here on
}

/// Returns true if the reader is gone.
bool SettingsReader::read_all(Work& work) {
  std::unique_lock lock(work.mutex);
  while (const auto asked_ms = std::exchange(work.asked_ms, std::nullopt)) {
    work.since_ms = asked_ms;
    lock.unlock();
    Result<SettingsRead> found = work.read();
    lock.lock();
    work.found = std::move(found);
  }
  work.since_ms.reset();
  work.ended.wake();
  return work.is_left;
}

void SettingsReader::begin(int64_t now_ms) {
  const std::lock_guard lock(work_->mutex);
  work_->asked_ms = now_ms;
  if (work_->since_ms) return;
  try {
    if (thread_.joinable()) thread_.join();  // it reads nothing any more
    thread_ = std::thread([shared = work_]() mutable { work(std::move(shared)); });
    work_->since_ms = now_ms;
  } catch (const std::system_error& error) {
    work_->asked_ms.reset();
    work_->found = fail(ErrorCode::io, std::string("no thread can be made to read the settings: ") +
                                           error.what() + "; nothing was changed");
    work_->ended.wake();
  }
}

std::optional<Result<SettingsRead>> SettingsReader::take() {
  work_->ended.clear();
  const std::lock_guard lock(work_->mutex);
  return std::exchange(work_->found, std::nullopt);
}

int SettingsReader::fd() const {
  return work_->ended.fd();
}

int64_t SettingsReader::next_late_ms(int64_t now_ms) const {
  const std::lock_guard lock(work_->mutex);
  const bool to_come = work_->since_ms && now_ms - *work_->since_ms < kLateMs;
  return to_come ? *work_->since_ms + kLateMs : INT64_MAX;
}

bool SettingsReader::is_late(int64_t now_ms) const {
  const std::lock_guard lock(work_->mutex);
  return work_->since_ms && now_ms - *work_->since_ms >= kLateMs;
}

}  // namespace leasehold::agent
