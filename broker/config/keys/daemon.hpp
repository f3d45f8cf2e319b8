// The keys of [broker], [retention], [limits], [security], [[operator]] and [[cluster]].
#pragma once

#include <string>

#include "broker/config/daemon.hpp"
#include "broker/config/keys/exports.hpp"

namespace leasehold {

/// Says what is wrong with the path and what would be right; "": it is right.
std::string base_path_fault(const std::string& text);
/// Says the same of `tables`.
std::string tables_fault(const std::string& text);

inline constexpr auto kBrokerKeys = std::make_tuple(
    key("name", &BrokerConfig::name, {.help = "name of this broker in logs and lists"}),
    key("mode", &BrokerConfig::mode,
        {.help = "`observe`: decides and records everything, orders nothing"}),
    key("listen", &DaemonConfig::listen,
        {.help = "agents: `tcp://HOST:PORT` or `ipc:///PATH`", .at_start = true}),
    key("control", &DaemonConfig::control,
        {.help = "endpoint for leasectl: `tcp://HOST:PORT` or `ipc:///PATH`", .at_start = true}),
    key("http", &DaemonConfig::http,
        {.help =
             "page and JSON: `HOST:PORT` of loopback, without encryption; `\"\"`: none. Unwritten, "
             "the broker goes on without it where that port is taken",
         .at_start = true}),
    key("database", &DaemonConfig::database,
        {.help = "an SQLite file, relative paths start at the configuration's folder; or "
                 "`postgresql://USER@HOST/NAME`, where other brokers may stand by",
         .at_start = true}),
    key("site", &DaemonConfig::site,
        {.help = "name of the site (server database only): only brokers with this name may lead; "
                 "the database remembers it, `--adopt` changes it",
         .usual = "none",
         .at_start = true}),
    key("leader_ttl", &DaemonConfig::leader_ttl_ms,
        {.help =
             "of a database on a server: a leader that has not renewed its lead for so long has "
             "lost it, and another broker may lead",
         .unit = Unit::milliseconds,
         .range = {2'000, 600'000},
         .at_start = true}),
    key("database_fenced", &DaemonConfig::database_fenced,
        {.help = "true: you guarantee that a replaced database server commits nothing more (server "
                 "database only); `lease_ttl` needs it there, and it lets leases go on at once "
                 "after a change of leader (\"Availability\" in the guide)",
         .at_start = true}),
    key("last_commit_file", &DaemonConfig::last_commit_file,
        {.help = "with `database_fenced`: a file of this broker's own in which it keeps the last "
                 "commit that it knows of, by which it notices a database that was put back",
         .usual = "the configuration's name with `.last-commit`, in the folder that systemd names "
                  "(`STATE_DIRECTORY`), else in the configuration's",
         .at_start = true}),
    key("readable_tables", &DaemonConfig::readable_tables,
        {.help = "of a database on a server: an SQLite file for the readable tables; beside a "
                 "database file they are in `DATABASE.state`",
         .usual = "none",
         .at_start = true}),
    key("tables", &DaemonConfig::tables,
        {.help = "how often the readable tables are made again, a duration of 1s … 1d: they are as "
                 "of the log's last event then, and take at most a twentieth of the time. "
                 "`\"off\"`: never (`leasectl tables` makes them)",
         .usual = "`\"1m\"` where such a file exists or `readable_tables` names one, else "
                  "`\"off\"`",
         .fault = tables_fault,
         .at_start = true}),
    key("reclaim_delay", &BrokerConfig::reclaim_delay_ms,
        {.help = "how often shared leases are evaluated",
         .unit = Unit::milliseconds,
         .range = {1, kKeyYearMs},
         .lsf = "MC_RECLAIM_DELAY"}),
    key("agent_timeout", &BrokerConfig::agent_timeout_ms,
        {.help = "an agent that is silent for so long is lost",
         .unit = Unit::milliseconds,
         .range = {100, 30 * kKeyDayMs}}),
    key("transfer_timeout", &BrokerConfig::transfer_timeout_ms,
        {.help = "how long a cluster may take to give up slots that it was asked for; then it gets "
                 "its old limits back",
         .unit = Unit::milliseconds,
         .range = {100, 30 * kKeyDayMs}}),
    key("leeway", &BrokerConfig::leeway_ms,
        {.help = "how long after the grace of a reclaim its slots may take to come back",
         .unit = Unit::milliseconds,
         .range = {0, 30 * kKeyDayMs}}),
    key("lease_ttl", &BrokerConfig::lease_ttl_ms,
        {.help = "leases of a cluster that is silent for so long end by themselves; above twice "
                 "`agent_timeout`. `\"\"`: never, as in LSF",
         .unit = Unit::milliseconds,
         .range = {1, kKeyYearMs},
         .usual = "`\"\"`",
         .may_be_empty = true}),
    key("plan", &DaemonConfig::plan_file,
        {.help = "resource groups and consumers in a file of their own"}));

inline constexpr auto kRetentionKeys =
    std::make_tuple(key("age", &DaemonConfig::retention_age_ms,
                        {.help = "older history is removed; the state that it led to is kept",
                         .unit = Unit::milliseconds,
                         .range = {3'600'000, 36'500 * kKeyDayMs},
                         .at_start = true}),
                    key("size_mb", &DaemonConfig::retention_size_mb,
                        {.help = "the oldest history is removed while the database, with the "
                                 "tables beside it, is larger",
                         .range = {16, kSizeMbMost},
                         .at_start = true}));

inline constexpr auto kLimitsKeys = std::make_tuple(
    key("connections", &LimitsConfig::connections,
        {.help = "connections of agents and operators", .range = {1, 1'000'000}, .at_start = true}),
    key("message_bytes", &LimitsConfig::message_bytes,
        {.help = "size of one message", .range = {65'536, 1 << 30}, .at_start = true}),
    key("rate_per_peer", &LimitsConfig::rate_per_peer,
        {.help = "messages a second; every 64 KiB begun count as one; 0: unlimited",
         .range = {0, 1'000'000'000}}),
    key("history_rows", &LimitsConfig::history_rows,
        {.help = "rows of one answer", .range = {1, 100'000'000}, .at_start = true}),
    key("record_mb_per_hour", &LimitsConfig::record_mb_per_hour,
        {.help = "MB that one cluster may add to the history in an hour; above it the newest "
                 "inventory and state are taken later; 0: unlimited",
         .range = {0, 1'000'000}}));

inline constexpr auto kHttpKeys = std::make_tuple(
    key("base_path", &HttpConfig::base_path,
        {.help = "where a proxy shows it, as `/leasehold`; every request needs a token then",
         .fault = base_path_fault}),
    key("hosts", &HttpConfig::hosts,
        {.help = "names that requests may call the broker by, besides loopback's: what the proxy "
                 "sends as Host"}),
    key("connections", &HttpConfig::connections,
        {.help = "HTTP connections; the oldest idle one is closed for a new one",
         .range = {1, 100'000}}),
    key("streams", &HttpConfig::streams, {.help = "event streams", .range = {0, 100'000}}),
    key("streams_per_address", &HttpConfig::streams_per_address,
        {.help = "event streams of one address; behind a proxy the last of X-Forwarded-For",
         .range = {1, 100'000}}),
    key("rate_per_address", &HttpConfig::rate_per_address,
        {.help = "requests a second of one address, ten seconds' worth at once; 0: unlimited",
         .range = {0, 1'000'000}}),
    key("answers_mb", &HttpConfig::answers_mb,
        {.help = "MB of answers kept until they are read", .range = {1, 1'000'000}}),
    key("metrics_leases", &HttpConfig::metrics_leases,
        {.help = "`/metrics` has series of each lease, and of each plan consumer, while there are "
                 "at most so many; 0: none",
         .range = {0, 1'000'000}}));

inline constexpr auto kSecurityKeys = std::make_tuple(
    key("secret_key_file", &DaemonConfig::secret_key_file,
        {.help = "the broker's key; [security] is needed unless every listener is loopback or ipc",
         .wanted = "the broker's key file: leasectl keygen --out broker"}));

inline constexpr auto kOperatorKeys = std::make_tuple(
    key("name", &OperatorConfig::name,
        {.help = "unique", .wanted = "the name of the operator", .listed = false}),
    key("public_key", &OperatorConfig::public_keys,
        {.help = "CURVE, 40 characters of Z85; a list while one is exchanged for another",
         .usual = "needed without `token_file`",
         .by_hand = true}),
    key("role", &OperatorConfig::role,
        {.help = "`read` may ask everything but a backup; "
                 "`admin` may do everything; `admin:/consumer/path` may ask, and by HTTP sees that "
                 "branch alone",
         .usual = "`\"read\"`",
         .by_hand = true,
         .listed = false}),
    key("token_file", &OperatorConfig::token_file,
        {.help = "a file with the operator's token for HTTP, a line of 16 characters at least; "
                 "with any, "
                 "every request needs one"}));

/// LSF's own files of a [[cluster]].
struct ClusterFiles {
  std::string lsb_resources;
  std::string lsb_params;
  std::string timezone = "UTC";
};

inline constexpr auto kClusterKeys = std::make_tuple(
    key("name", &ClusterConfig::name,
        {.help = "unique", .wanted = "the name of the cluster", .listed = false}),
    key("public_key", &ClusterConfig::public_key,
        {.help = "public key of its agent: CURVE, 40 characters of Z85; a list while one is "
                 "exchanged for another",
         .usual = "none: with [security] its agent cannot connect",
         .by_hand = true}),
    key("lsb_resources", &ClusterFiles::lsb_resources,
        {.help = "LSF's file with its HostExport sections: policies east-1, east-2, …"}),
    key("lsb_params", &ClusterFiles::lsb_params,
        {.help = "LSF's file with MC_RECLAIM_DELAY in minutes, for the policies of this provider"}),
    key("timezone", &ClusterFiles::timezone,
        {.help = "time zone of `#if time(...)` in these files"}),
    key("reclaim_delay", &ClusterConfig::reclaim_delay_ms,
        {.help = "how often the shared leases of this provider are evaluated",
         .unit = Unit::milliseconds,
         .range = {1, kKeyYearMs},
         .usual = "that of `lsb_params`, else of [broker]",
         .by_hand = true}));

inline constexpr std::string_view kNotYet = "works only in a [[resource_group]]; leave it out here";

/// Agents tell one demand a cluster.
inline constexpr std::string_view kSaidByAgents =
    "a cluster's agent says which of its pending work counts as demand, by leased_partitions in "
    "its [hosts]; leave this out";

inline constexpr LaterKey kLaterKeys[] = {
    {"consumer", "queues", kSaidByAgents, Neutral::empty_list},
    {"export_policy", "max_share_moved", kNotYet, Neutral::one},
    {"export_policy", "dead_zone", kNotYet, Neutral::zero},
    {"export_policy", "reclaim_backoff", kNotYet, Neutral::no_time},
};

template <>
struct SectionOf<BrokerConfig> {
  static constexpr auto& keys = kBrokerKeys;
};
template <>
struct SectionOf<DaemonConfig> {
  static constexpr auto keys = std::tuple_cat(kBrokerKeys, kRetentionKeys, kSecurityKeys);
};
template <>
struct SectionOf<LimitsConfig> {
  static constexpr auto& keys = kLimitsKeys;
};
template <>
struct SectionOf<HttpConfig> {
  static constexpr auto& keys = kHttpKeys;
};
template <>
struct SectionOf<OperatorConfig> {
  static constexpr auto& keys = kOperatorKeys;
};
template <>
struct SectionOf<ClusterConfig> {
  static constexpr auto& keys = kClusterKeys;
};
template <>
struct SectionOf<ClusterFiles> {
  static constexpr auto& keys = kClusterKeys;
};

}  // namespace leasehold
