#include "broker/ports/http/answers/answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

constexpr size_t kWaitingMax = 512;
/// Answers about now go stale though nothing happens: agents stay silent, deadlines come nearer.
constexpr int64_t kKeptMs = 1'000;
constexpr size_t kKeptMost = 32;
constexpr size_t kKeptBytesMost = 4 << 20;  // of one answer

}  // namespace

struct Answers::Asked {
  Inquiry inquiry;
  std::string text;
  std::vector<Waiter> waiters;         // for the server's thread alone
  std::atomic<bool> wanted{true};      // false: no waiter is left
  std::shared_ptr<const Reply> reply;  // set when its ticket is ready
};

Answers::Answers(Lookups lookups)
    : lookups_(std::move(lookups)),
      held_bytes_(std::make_shared<std::atomic<int64_t>>(0)),
      present_({kWaitingMax}),
      past_({kWaitingMax}) {}

Answers::~Answers() {
  end();
}

void Answers::end() {
  present_.end();
  past_.end();
}

std::shared_ptr<const Reply> Answers::made(const Inquiry& inquiry, int64_t now_ms) const {
  const auto found = kept_.find(text_of(inquiry));
  if (found == kept_.end()) return nullptr;
  const Kept& kept = found->second;
  const bool fresh = kept.event == inquiry.notice.event && now_ms - kept.at_ms < kKeptMs;
  return fresh ? kept.reply : nullptr;
}

bool Answers::ask(Inquiry inquiry, Waiter waiter) {
  std::string text = text_of(inquiry);
  for (auto& [ticket, asked] : asked_) {
    if (asked->text == text && asked->inquiry.notice.event == inquiry.notice.event &&
        asked->wanted) {
      asked->waiters.push_back(waiter);
      return true;
    }
  }
  auto asked = std::make_shared<Asked>();
  asked->inquiry = std::move(inquiry);
  asked->text = std::move(text);
  asked->waiters = {waiter};
  const uint64_t ticket = ticket_next_++;
  AnswerThread& thread = is_of_past(asked->inquiry) ? past_ : present_;
  const bool taken = thread.ask(ticket, [this, asked] {
    if (asked->wanted) {
      asked->reply =
          std::make_shared<const Reply>(make_reply(asked->inquiry, lookups_, held_bytes_));
    }
    return std::string();
  });
  if (taken) asked_.emplace(ticket, std::move(asked));
  return taken;
}

void Answers::leave(Waiter waiter) {
  for (auto& [ticket, asked] : asked_) {
    std::erase(asked->waiters, waiter);
    if (asked->waiters.empty()) asked->wanted = false;
  }
}

void Answers::keep(const std::string& text, Kept kept) {
  std::erase_if(kept_, [&](const auto& each) { return kept.at_ms - each.second.at_ms >= kKeptMs; });
  const bool small = kept.reply->body().size() <= kKeptBytesMost;
  if (small && kept.reply->status == 200 && kept_.size() < kKeptMost) kept_[text] = std::move(kept);
}

std::vector<Answers::Ready> Answers::collect(int64_t now_ms) {
  std::vector<Ready> ready;
  for (AnswerThread* thread : {&present_, &past_}) {
    for (const AnswerThread::Answer& answer : thread->collect()) {
      const auto found = asked_.find(answer.ticket);
      if (found == asked_.end()) continue;
      const std::shared_ptr<Asked> asked = std::move(found->second);
      asked_.erase(found);
      if (asked->reply == nullptr) continue;  // nobody wanted it any more
      keep(asked->text, {asked->reply, asked->inquiry.notice.event, now_ms});
      ready.push_back({std::move(asked->waiters), asked->reply});
    }
  }
  return ready;
}

}  // namespace leasehold
