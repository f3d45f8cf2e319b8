// OwnFile: what a broker that stands by would put in force if it took over: its own configuration
// file, beside the configuration in force, which is the leader's. Two machines' files that should
// be alike are compared by nobody else. Told, never acted on: neither this broker nor the leader
// becomes another by it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "broker/core/model/state.hpp"
#include "broker/ports/access.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What this file would change of the state, for people; "": nothing. What the log has of a
/// configuration is compared: neither operators and limits, nor what each broker has its own of.
std::string changes_by(const ConfigRead& file, const State& state);

/// Why a broker with this file must not lead where this configuration is in force: it names none of
/// its clusters. "": it names one, or there are none.
std::string why_no_candidate(const BrokerConfig& file, const BrokerConfig& in_force);

class OwnFile {
 public:
  /// Before anything else: this broker may adopt another site's database (`--adopt`).
  void adopt() { adopts_ = true; }

  // On the loop's thread:
  /// As it was just read. Error: it cannot be, and this broker could not lead.
  void is(Result<ConfigRead> read);
  /// This broker leads.
  void is_in_force();

  // On the threads of the answers, of which one at a time has its turn:
  /// In what it differs from what is in force; "": in nothing. nullopt: this broker leads, or has
  /// its database to itself.
  std::optional<std::string> difference(const State& state);
  /// On any thread: why this broker could not lead by its file, as far as difference() has found;
  /// "": nothing keeps it from that.
  std::string cannot_lead();

 private:
  std::string judge(const Result<ConfigRead>& read, const State& state) const;

  std::mutex mutex_;
  std::shared_ptr<const Result<ConfigRead>> read_;
  std::string cannot_lead_;
  std::atomic<bool> adopts_ = false;
  // Of the thread that has its turn: what was compared last.
  std::shared_ptr<const Result<ConfigRead>> compared_;
  BrokerConfig in_force_;
  std::string difference_;
};

}  // namespace leasehold
