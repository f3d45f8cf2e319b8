#include "broker/daemon/leadership/on_server.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "broker/daemon/aside/looks_aside.hpp"
#include "broker/daemon/leadership/own_file.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/postgres/candidate.hpp"
#include "broker/store/postgres/log.hpp"
#include "broker/store/postgres/roll.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "common/channel/endpoint.hpp"
#include "common/database_name.hpp"
#include "common/files/kept_file.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// Returns the endpoint as other machines reach it: with the machine's name if it listens at all
/// addresses.
std::string endpoint_for_others(const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text);
  if (!endpoint || endpoint->ipc) return text;
  if (endpoint->host != "*" && endpoint->host != "0.0.0.0") return text;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return text;
  return "tcp://" + std::string(name.data()) + ":" + std::to_string(endpoint->port);
}

/// A broker that may lead has no clock that is far ahead (other_brokers.cpp). If the log is ahead
/// of the clock, time goes on from the log, unless an operator says that the clock is right.
std::string clock_set_by(const State& state, bool accept_clock) {
  return accept_clock && state.now > wall_time() ? "--accept-clock" : "";
}

/// False: the folder that systemd names is not known to whoever checks a file by hand.
bool is_place_known(const DaemonConfig& daemon) {
  return !daemon.last_commit_file.empty() || std::getenv("STATE_DIRECTORY") != nullptr;
}

/// Returns the configured file, or one in the folder that systemd made for this broker's files, or
/// one beside the configuration, whose folder is often closed to the broker.
std::string last_commit_file_of(const DaemonConfig& daemon) {
  if (!daemon.last_commit_file.empty()) return daemon.last_commit_file;
  const std::filesystem::path file(daemon.file);
  const char* given = std::getenv("STATE_DIRECTORY");
  const std::string folders = given == nullptr ? "" : given;
  const std::filesystem::path folder =
      folders.empty() ? file.parent_path()
                      : std::filesystem::path(folders.substr(0, folders.find(':')));
  return (folder / file.stem()).string() + ".last-commit";
}

/// Opens last_commit_file if the database is fenced. An Error counts as one of the configuration:
/// each start would end with it.
Result<std::shared_ptr<LastCommit>> open_last_commit(const DaemonConfig& daemon) {
  if (!daemon.database_fenced) return nullptr;
  auto file = LastCommitFile::open(last_commit_file_of(daemon));
  if (file) return std::shared_ptr<LastCommit>(std::move(*file));
  Error error = file.error();
  error.code = ErrorCode::usage;
  error.message += " ([broker] last_commit_file, which database_fenced = true needs)";
  return tl::unexpected(std::move(error));
}

/// Refuses a file that names none of the log's clusters, before the leader's row is touched. A log
/// that cannot be read passes here: its reader reports that.
Status check_clusters(const Loaded& loaded) {
  const auto log = PostgresLog::open(loaded.daemon.database);
  if (!log) return {};
  const Result<State> state = load_state(**log);
  if (!state) return {};
  const std::string why = why_no_candidate(loaded.core, state->config);
  if (why.empty()) return {};
  return tl::unexpected(Error{ErrorCode::usage, why, loaded.daemon.file, 0, 0});
}

struct LeadChoices {
  std::string name;  // the database's, for people
  bool fenced = false;
  std::shared_ptr<const bool> accept_clock;  // until a take-over is committed
};

Result<BrokerParts::Opened> open_led(Candidate& candidate, const LeadChoices& choices) {
  auto store = candidate.take_over();
  if (!store) return tl::unexpected(store.error());
  auto state = (*store)->load();
  if (!state) return tl::unexpected(state.error());
  if (Status sound = check_ledger(choices.name, *state); !sound) {
    return tl::unexpected(sound.error());
  }
  const std::string set_by = clock_set_by(*state, *choices.accept_clock);
  BrokerParts::Opened opened;
  opened.database_older = (*store)->database_older();
  // Rule 15. After a clock was set back the history does not simply go on.
  opened.warm = choices.fenced && (*store)->loses_nothing() && set_by.empty();
  opened.state = std::move(*state);
  opened.store = std::move(*store);
  opened.clock_set_by = set_by;
  return opened;
}

}  // namespace

Status prepare_on_server(const Loaded& loaded, std::shared_ptr<BaseMaker> bases,
                         const StartChoices& choices, BrokerParts& parts) {
  const DaemonConfig& daemon = loaded.daemon;
  parts.self.name = loaded.core.name;
  parts.self.endpoint = endpoint_for_others(daemon.control);
  PostgresCandidate::Options options;
  options.facts = {parts.self.name, parts.self.endpoint, daemon.leader_ttl_ms, daemon.site};
  options.adopt = parts.adopt = choices.adopt;
  options.retention = {daemon.retention_age_ms, daemon.retention_size_mb << 20};
  options.base_maker = std::move(bases);
  auto last_commit = open_last_commit(daemon);
  if (!last_commit) return tl::unexpected(last_commit.error());
  options.last_commit = *std::move(last_commit);
  const auto writes = [file = options.last_commit, path = last_commit_file_of(daemon)] {
    return file && file->is_writing() ? path : "";
  };
  auto candidate = PostgresCandidate::open(daemon.database, std::move(options));
  if (!candidate) return tl::unexpected(candidate.error());
  parts.candidate = std::make_shared<LooksAside>(
      std::move(*candidate),
      LooksAside::Options{.database = without_password(daemon.database), .writes = writes});
  if (!choices.adopt) {
    if (Status known = check_clusters(loaded); !known) return known;
  }
  parts.roll = std::make_shared<PostgresRoll>(daemon.database);
  *parts.accept_clock = choices.accept_clock;
  const LeadChoices lead{without_password(daemon.database), daemon.database_fenced,
                         parts.accept_clock};
  parts.open_store = [candidate = parts.candidate, lead] { return open_led(*candidate, lead); };
  return {};
}

std::string not_checked(const DaemonConfig& daemon) {
  if (!daemon.database_fenced || is_place_known(daemon)) return "";
  return "last_commit_file is not set, so its place is not checked here: under systemd in "
         "STATE_DIRECTORY, which is not set, else beside " +
         daemon.file;
}

Status check_server(const DaemonConfig& daemon) {
  if (daemon.database_fenced && is_place_known(daemon)) {
    if (Status kept = check_kept_file(last_commit_file_of(daemon)); !kept) return kept;
  }
  const auto session = PostgresSession::open(daemon.database, PostgresSession::Use::to_read);
  return session ? Status{} : tl::unexpected(session.error());
}

}  // namespace leasehold
