// BrokerParts is what the program gives the broker's loop: files, the database and tests are not
// the loop's business.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "broker/config/inventory_check.hpp"
#include "broker/daemon/aside/config_reader.hpp"
#include "broker/ports/http/answers/bulletin.hpp"
#include "broker/store/candidate.hpp"
#include "broker/store/roll.hpp"
#include "broker/store/store.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

struct BrokerParts {
  /// Reads the configuration file, with windows resolved from `now` and `by` as given.
  ConfigReader::Read read_configuration;
  /// Reloads read the file beside the loop, or, for a loop in virtual time, within the call.
  ConfigReader::Where reads = ConfigReader::Where::in_call;
  /// Admits the keys that the configuration names. Called when a configuration has come into force,
  /// with the Access that was read with it. May be empty.
  std::function<void(const BrokerConfig& config, const Access& access)> set_admitted;
  /// Resolves the windows from `now`; nullopt: the configuration has none.
  std::function<std::optional<ResolvedWindows>(const BrokerConfig& config, Instant now)> resolve;
  /// Finds where a configuration contradicts the hosts that are known.
  std::function<InventoryFindings(const BrokerConfig& config, const State& state)> check_inventory;
  /// A store that was opened, with the state that was loaded from it.
  struct Opened {
    std::unique_ptr<Store> store;
    State state;
    bool database_older = false;  // a file beside it knows later commits
    std::string older_because;    // how that shows; "": no more is known
    bool warm = false;            // BrokerStarted::warm
    std::string clock_set_by;     // set: history goes on at the clock's time, though it is earlier
  };
  std::function<Result<Opened>()> open_store;
  /// Set if several brokers may lead: open_store() then takes over. nullptr: this one is alone.
  std::shared_ptr<Candidate> candidate;
  /// True: the first take-over may put a file in force that names none of the database's clusters.
  bool adopt = false;
  /// Exchanges rows with the other brokers of the database. nullptr: nothing is known of others.
  std::shared_ptr<Roll> roll;
  /// True: the machine's clock is right, whatever it is compared with, until the first take-over.
  std::shared_ptr<bool> accept_clock = std::make_shared<bool>(false);
  /// This broker's own name and the endpoint where its operators reach it.
  LeaderView self = {};
  /// Called at "before-commit", "after-commit" and "after-send" with the batch: for tests that stop
  /// a broker there. May be empty.
  std::function<void(const char* place, std::span<const Record> batch)> reached;
  /// Returns how old the readable tables are; nullptr: none are made. Waits for nothing. May be
  /// empty.
  std::function<std::shared_ptr<const TablesStatus>()> tables;
  /// Called with this broker's own file each time that it was read while the broker does not lead;
  /// nullopt: the file is in force now. May be empty: then it is not read for this.
  std::function<void(std::optional<Result<ConfigRead>> read)> own_file;
  /// Called each turn with why nobody leads; nullopt: somebody does. Waits for nothing. May be
  /// empty.
  std::function<void(const std::optional<NobodyLeads>& nobody)> nobody_leads;
  /// Returns how long the loop's thread has worked, in microseconds, to limit each agent's share.
  /// Empty: each agent may take as much of the loop's time as it likes.
  std::function<int64_t()> work_us;
  /// Publishes the loop's progress for the threads of HTTP. May be nullptr.
  std::shared_ptr<Bulletin> bulletin;
  const TimeSource* time = &machine_time();
};

}  // namespace leasehold
