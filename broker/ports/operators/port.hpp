// OperatorPort: the control endpoint. Requests of leasectl come in as JSON, one ZeroMQ message
// each; answers leave the same way (schema/json/README.md). Questions go to two threads, of now and
// of the past (lookups.hpp), so that the loop waits for no answer. What changes the state is handed
// to the loop as a task, and answered only after its commit.
// Who asks is known by key, what each may do by role (permission.hpp).
// Not here: deciding, committing, reading configuration files.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "broker/ports/operators/lookups.hpp"
#include "broker/ports/operators/task.hpp"
#include "common/channel/channel.hpp"
#include "common/result.hpp"

namespace leasehold {

struct OperatorDesk;

class OperatorPort {
 public:
  /// The endpoint where requests come in, with limits that fit them.
  static Result<Channel> listen(const std::string& endpoint, int connections_max = 4096,
                                const std::optional<ListenKeys>& keys = std::nullopt);
  /// `lookups` are called on the port's threads.
  OperatorPort(std::unique_ptr<Exchange> operators, Lookups lookups);
  OperatorPort(OperatorPort&&) noexcept;
  OperatorPort& operator=(OperatorPort&&) noexcept;
  ~OperatorPort();

  /// From now on this is in force: its operators, any other key is refused (on a plain endpoint
  /// whoever reaches it is an admin), its rate, and where settings of plans were written.
  void know(std::shared_ptr<const Access> access);
  /// Requests a second of each peer; 0: unlimited, as it is before the first call.
  void limit_rate(int64_t per_second);

  /// The next request that is there: handle() it.
  bool receive_into(Frame& frame);
  /// Readable when answers of the threads are there: call send_answers().
  std::array<int, 2> answer_fds() const;

  /// Answers one request, or returns the task that must be done before it can be answered.
  std::optional<OperatorTask> handle(const Frame& frame, const OperatorContext& context);
  /// Reloads that wait for the configuration to be read.
  size_t waiting_for_file() const;
  /// The oldest of them, as handle() does it; it goes behind the others if it must wait on.
  /// Contract: there is one.
  std::optional<OperatorTask> handle_waiting(const OperatorContext& context);
  /// The task was committed (or refused, or failed): the operator is told. `state` is the new one.
  void finish(uint64_t ticket, const Status& outcome, const OperatorContext& context);
  /// Sends the answers that the threads have ready. Never waits.
  void send_answers();
  /// There is more in the log: who answers of now may follow it. Waits for nothing.
  void committed();
  /// No more answers: the threads end.
  void end();

 private:
  std::unique_ptr<OperatorDesk> desk_;
};

}  // namespace leasehold
