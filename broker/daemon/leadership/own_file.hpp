// OwnFile compares the configuration file of a broker that stands by, which a take-over would put
// in force, with the leader's configuration that is in force. Nothing else compares the files of
// two machines. A difference is only reported: neither broker acts on it.
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

/// Names what this file would change, for people; "": nothing. Only what the log has of a
/// configuration is compared: neither operators and limits, nor each broker's own settings.
std::string changes_by(const ConfigRead& file, const State& state);

/// Returns why a broker with this file must not lead while `in_force` is the configuration: the
/// file names none of its clusters. "": it names one, or there are none.
std::string why_no_candidate(const BrokerConfig& file, const BrokerConfig& in_force);

class OwnFile {
 public:
  /// Lets this broker adopt another site's database (`--adopt`). Contract: called before all
  /// others.
  void adopt() { adopts_ = true; }

  // These are for the loop's thread:
  /// Takes the file as it was just read. An Error says that this broker could not lead.
  void is(Result<ConfigRead> read);
  /// The file is in force, for this broker leads.
  void is_in_force();

  // These are for the threads of the answers, one at a time:
  /// How the file differs from the configuration in force; "": in nothing. nullopt: this broker
  /// leads, or has its database to itself.
  std::optional<std::string> difference(const State& state);
  /// Returns why this broker could not lead by its file, as the last difference() found; "": it
  /// could. May be called on any thread.
  std::string cannot_lead();

 private:
  std::string judge(const Result<ConfigRead>& read, const State& state) const;

  std::mutex mutex_;
  std::shared_ptr<const Result<ConfigRead>> read_;
  std::string cannot_lead_;
  std::atomic<bool> adopts_ = false;
  // Only difference() uses these; they are what it compared last.
  std::shared_ptr<const Result<ConfigRead>> compared_;
  BrokerConfig in_force_;
  std::string difference_;
};

}  // namespace leasehold
