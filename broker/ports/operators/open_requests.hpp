// OpenRequests is the inside of OperatorPort: it knows the operators, the requests under way and
// the peers that wait for an answer. For the .cpp files of this folder only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "broker/ports/operators/answer_thread.hpp"
#include "broker/ports/operators/change.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "broker/ports/operators/permission.hpp"
#include "broker/ports/operators/refused_rate.hpp"
#include "broker/ports/operators/replies.hpp"
#include "broker/ports/operators/task.hpp"
#include "broker/ports/peer_rates.hpp"
#include "broker/views/request/request.hpp"
#include "common/channel/exchange.hpp"

namespace leasehold {

struct OpenRequests {
  /// One request that is being handled, and who sent it.
  struct Call {
    const std::string& peer;
    const std::string& address;
    Asker asker;
    const Request& request;
    const std::optional<Error>& mistake;
    const OperatorContext& context;
    const Frame& frame;
    uint64_t reading = 0;  // ticket of the reading that it waits for; 0: none yet

    /// True if the asker's key has proved who it is.
    bool is_proved() const { return !frame.key.empty(); }
    /// Names whoever shares a limit: the operator, over however many connections or keys; on a
    /// plain endpoint, where a claimed name proves nothing, the connection.
    const std::string& limited_as() const { return is_proved() ? asker.name : peer; }
  };
  /// A reload whose file is being read.
  struct Unread {
    Frame frame;
    uint64_t reading = 0;
    std::string asker;  // whose limit it counts against
  };
  struct Waiting {
    std::string peer;
    Event event;
    Json preview;  // of a reload
  };
  struct Questioning {
    std::string peer;
    std::string asker;  // whose limit it counts against
    const AnswerThread* by = nullptr;
  };

  std::unique_ptr<Exchange> line;
  const Lookups lookups;
  AnswerThread past;
  AnswerThread present;
  AnswerThread following;  // gets no questions: reading the log may hold up no answer
  uint64_t ticket_next = 1;
  std::deque<Unread> unread;                    // oldest first
  std::map<uint64_t, Waiting> waiting;          // for a commit, by ticket
  std::map<uint64_t, Questioning> questioning;  // for a thread's answer, by ticket
  Operators operators;
  std::shared_ptr<const Access> access;  // in force; nullptr: know() was not called yet
  PeerRates rates;
  PeerRates log_rate{2, 20};  // limits the log lines that refusals cause
  RefusedRate refused_rate;   // limits the rows of the history that they cause

  OpenRequests(std::unique_ptr<Exchange> open, Lookups who_answers);

  /// The answer is dropped if the peer has gone.
  void send(const std::string& peer, std::string text) { line->send_whole(peer, std::move(text)); }
  void send(const std::string& peer, const Json& reply) { send(peer, text_of(reply)); }
  void refuse(const std::string& peer, ErrorCode code, std::string message) {
    send(peer, failure({code, std::move(message), {}, 0, 0}));
  }
  bool too_many(const Frame& frame, Instant now, std::optional<OperatorTask>& refusal);
  std::optional<Asker> who(const Frame& frame, const Request& request) const;
  std::optional<OperatorTask> refuse(const Call& call, Reason reason, const Error& error);
  std::optional<OperatorTask> refuse_stranger(const Frame& frame, const Request& request,
                                              Instant now);
  std::optional<OperatorTask> remember(OperatorRefused refused, Instant now);
  std::optional<OperatorTask> dispatch(const Call& call);
  OperatorTask start(const std::string& peer, Event event, Json preview);
  void ask(const Call& call, AnswerThread& thread, uint64_t ticket, AnswerThread::Making making);
  void ask_past(const Call& call, Request question);
  void ask_present(const Call& call);
  void question(const Call& call);
  void send_answers(AnswerThread& thread);
  std::optional<OperatorTask> change(const Call& call);
  std::optional<OperatorTask> handle(const Frame& frame, const OperatorContext& context,
                                     uint64_t reading);
  std::optional<OperatorTask> reload(const Call& call);
  bool has_room_to_wait(const Call& call) const;
};

}  // namespace leasehold
