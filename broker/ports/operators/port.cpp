#include "broker/ports/operators/port.hpp"

#include <nlohmann/json.hpp>

#include "broker/ports/operators/change.hpp"
#include "broker/ports/operators/open_requests.hpp"
#include "broker/ports/operators/reload.hpp"
#include "broker/ports/operators/replies.hpp"

namespace leasehold {

namespace {

constexpr int64_t kRequestBytesMax = 1 << 20;
/// Answers that may wait for a peer who reads none; the rest is dropped, so memory stays bounded.
constexpr int kAnswersWaitingMax = 64;

}  // namespace

Result<Channel> OperatorPort::listen(const std::string& endpoint, int connections_max,
                                     const std::optional<ListenKeys>& keys) {
  ChannelLimits limits;
  limits.message_bytes_max = kRequestBytesMax;
  limits.queue_messages_max = kAnswersWaitingMax;
  limits.unread_messages_max = kAnswersWaitingMax;
  limits.connections_max = connections_max;
  limits.addresses = true;  // for the history: who ordered it, from where
  return Channel::listen(endpoint, limits, keys);
}

OperatorPort::OperatorPort(std::unique_ptr<Exchange> operators, Lookups lookups)
    : open_(std::make_unique<OpenRequests>(std::move(operators), std::move(lookups))) {}
OperatorPort::OperatorPort(OperatorPort&&) noexcept = default;
OperatorPort& OperatorPort::operator=(OperatorPort&&) noexcept = default;
OperatorPort::~OperatorPort() = default;

bool OperatorPort::receive_into(Frame& frame) {
  return open_->line->receive_into(frame);
}
std::array<int, 2> OperatorPort::answer_fds() const {
  return {open_->past.fd(), open_->present.fd()};
}
void OperatorPort::end() {
  open_->past.end();
  open_->present.end();
  open_->following.end();
}
void OperatorPort::committed() {
  open_->following.wake();
}

void OperatorPort::know(std::shared_ptr<const Access> access) {
  open_->operators = Operators(access->operators);
  limit_rate(access->limits.rate_per_peer);
  open_->access = std::move(access);
}

void OperatorPort::limit_rate(int64_t per_second) {
  if (open_->rates.per_second() != per_second) open_->rates = PeerRates(per_second);
}

std::optional<OperatorTask> OperatorPort::handle(const Frame& frame,
                                                 const OperatorContext& context) {
  std::optional<OperatorTask> refusal;
  if (open_->too_many(frame, context.now, refusal)) return refusal;
  return open_->handle(frame, context, 0);
}

size_t OperatorPort::waiting_for_file() const {
  return open_->unread.size();
}

std::optional<OperatorTask> OperatorPort::handle_waiting(const OperatorContext& context) {
  const OpenRequests::Unread oldest = std::move(open_->unread.front());
  open_->unread.pop_front();
  return open_->handle(oldest.frame, context, oldest.reading);
}

void OperatorPort::finish(uint64_t ticket, const Status& outcome, const OperatorContext& context) {
  auto found = open_->waiting.find(ticket);
  if (found == open_->waiting.end()) return;
  const OpenRequests::Waiting waiting = std::move(found->second);
  open_->waiting.erase(found);
  if (!outcome) {
    return open_->send(waiting.peer,
                       with_nobody(failure(outcome.error()), context.liveness.leader_view));
  }
  const OperatorCommand* command = std::get_if<OperatorCommand>(&waiting.event);
  open_->send(waiting.peer, success(command != nullptr ? done_json(context.state, *command)
                                                       : reloaded(waiting.preview)));
}

void OperatorPort::send_answers() {
  for (AnswerThread* thread : {&open_->present, &open_->past}) open_->send_answers(*thread);
}

}  // namespace leasehold
