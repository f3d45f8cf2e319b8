// OperatorPort is the control endpoint. Requests of leasectl come in as JSON, one ZeroMQ message
// each; answers leave the same way (schema/json/README.md). Questions go to two threads, one for
// now and one for the past (lookups.hpp), so that the loop waits for no answer. A change is handed
// to the loop as a task, and answered only after its commit. Keys tell who asks, roles what each
// may do (permission.hpp). The port neither decides nor commits, and reads no configuration files.
//
// Questions and reloads that wait are limited for each operator, over all connections and keys that
// one has: nobody keeps the others out, and a program that asks for many with one key is one
// operator. On a plain endpoint each connection is limited for itself: whoever reaches it is the
// machine's own admin.
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

struct OpenRequests;

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

  /// Puts `access` in force: its operators, its rate, and the places where settings were written.
  /// Any other key is refused (on a plain endpoint whoever reaches it is an admin).
  void know(std::shared_ptr<const Access> access);
  /// Sets the requests a second of each peer; 0: unlimited, as it is before the first call.
  void limit_rate(int64_t per_second);

  /// Takes the next request, for handle(). False: there is none.
  bool receive_into(Frame& frame);
  /// They are readable when answers of the threads are there: call send_answers().
  std::array<int, 2> answer_fds() const;

  /// Answers one request, or returns the task that must be done before it can be answered.
  std::optional<OperatorTask> handle(const Frame& frame, const OperatorContext& context);
  /// Returns the number of reloads that wait for the configuration to be read.
  size_t waiting_for_file() const;
  /// Handles the oldest of them, as handle() does; it goes behind the others if it must wait on.
  /// Contract: waiting_for_file() is not 0.
  std::optional<OperatorTask> handle_waiting(const OperatorContext& context);
  /// Answers the operator: the task was committed, or `outcome` says why not. `context` has the new
  /// state.
  void finish(uint64_t ticket, const Status& outcome, const OperatorContext& context);
  /// Sends the answers that the threads have ready. Never waits.
  void send_answers();
  /// Says that there is more in the log, so that Lookups::follow is called. Waits for nothing.
  void committed();
  /// Ends the threads, after the answers under way; nothing is answered by them any more.
  void end();

 private:
  std::unique_ptr<OpenRequests> open_;
};

}  // namespace leasehold
