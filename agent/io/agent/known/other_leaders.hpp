// OtherLeaders: brokers that the agent does not follow (rule 12 of
// broker/store/postgres/README.md). It tells messages of the leadership that was greeted from those
// of others, counts the others, and logs each refusal once until the agent is connected.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/core/leadership.hpp"
#include "agent/core/session.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

class OtherLeaders {
 public:
  /// Returns false, and counts the message, if it is of another leadership than the one greeted.
  bool check(const Session& session, const char* message, std::optional<uint64_t> epoch,
             std::optional<uint64_t> incarnation);
  /// Logs that the welcome of a leadership is refused, because of one that was seen.
  void note_refused(const Leadership& claimed, const Leadership& seen);
  /// Logs why the broker refuses the agent or a message; that it does not lead, once.
  void note_refusal(const wire::Refusal& refusal);
  void on_connected();

  /// Returns the number of messages of leaderships that were not greeted.
  uint64_t messages() const { return messages_; }

 private:
  uint64_t messages_ = 0;
  std::optional<Leadership> refused_logged_;
  bool elsewhere_logged_ = false;
};

}  // namespace leasehold::agent
