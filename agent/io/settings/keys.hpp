// The agent's configuration keys (config/agent.toml), a row each, but those of the workload
// managers: they stand in the managers' own folders (settings.cpp). Rows:
// common/config/keys/key.hpp.
#pragma once

#include "agent/io/settings/settings.hpp"
#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/key.hpp"

namespace leasehold::agent {

/// Each of these says what is wrong with a text and what would be right; "" means that it is right
/// (KeyNotes::fault).
std::string endpoint_fault(const std::string& endpoint);
/// Says what is wrong with the path of a file for the collector, which reads *.prom alone.
std::string metrics_file_fault(const std::string& path);
std::string log_level_fault(const std::string& level);
std::string curve_key_fault(const std::string& key);
std::string host_rule_fault(const std::string& rule);
std::string signal_fault(const std::string& signal);
std::string partition_fault(const std::string& names);
std::string comment_fault(const std::string& words);

inline constexpr IntRange kKeyPauseMs{100, 3'600'000};
inline constexpr int64_t kKeySlotsMost = 1'000'000;

inline constexpr auto kAgentKeys = std::make_tuple(
    key("cluster", &AgentSettings::cluster,
        {.help = "this cluster's name in the broker's configuration",
         .wanted = "the name of this agent's cluster"}),
    key("broker", &Settings::brokers,
        {.help = "the broker's address for agents: `tcp://HOST:PORT` or `ipc:///PATH`; several are "
                 "tried in turn, until one leads",
         .wanted = "the broker's endpoint, as in \"tcp://127.0.0.1:7440\"",
         .fault = endpoint_fault,
         .or_one = true}),
    key("state", &Settings::state,
        {.help = "an SQLite file: limits that must survive the agent; made if missing",
         .wanted = "the path of the file that keeps the agent's limits",
         .fault = kept_state_fault,
         .path = true}),
    key("report_interval", &AgentSettings::report_interval_ms,
        {.help = "interval at which the workload manager is read and reported",
         .unit = Unit::milliseconds,
         .range = kKeyPauseMs}),
    key("call_timeout", &AdapterSettings::call_timeout_ms,
        {.help = "time limit for one call of a workload manager's program",
         .unit = Unit::milliseconds,
         .range = kKeyPauseMs}),
    key("degraded_after", &AgentSettings::degraded_after,
        {.help =
             "failed calls of the workload manager in a row, until the agent reports `degraded`",
         .range = {1, 1'000}}),
    key("tell_users", &AgentSettings::report_users,
        {.help =
             "`true`: the broker's history names the user, account and session of each job that "
             "had to end, and of the work on borrowed slots, for which all jobs are listed once a "
             "minute; `false`: the job only"}),
    key("user_hash_file", &Settings::user_hash_file,
        {.help = "a file of mode 0600 with one line of at least 32 characters, the site's own "
                 "secret: `tell_users` tells hashes of users, accounts and sessions, keyed with "
                 "it; `\"\"`: their names",
         .path = true}),
    key("metrics_file", &Settings::metrics_file,
        {.help = "a file for the textfile collector of node_exporter, `….prom`, written every "
                 "report_interval; `\"\"`: none",
         .fault = metrics_file_fault,
         .path = true}),
    key("log_level", &Settings::log_level,
        {.help = "`trace` `debug` `info` `warn` `error`; `--log-level` beats it; `\"\"`: `info`",
         .fault = log_level_fault}));

inline constexpr auto kSecurityKeys = std::make_tuple(
    key("secret_key_file", &SecuritySettings::secret_key_file,
        {.help = "`leasectl keygen --out NAME`; mode 0600",
         .wanted = "this agent's key file: leasectl keygen",
         .path = true}),
    key("broker_public_key", &SecuritySettings::broker_public_keys,
        {.help = "CURVE, 40 characters of Z85; a list while one is exchanged for another",
         .wanted = "what `leasectl keygen` printed for the broker",
         .fault = curve_key_fault,
         .or_one = true}));

inline constexpr auto kHostsKeys = std::make_tuple(
    key("rule", &HostNames::rule,
        {.help = "the name here of a host of another cluster, with `{host}`, and `{cluster}` where "
                 "wanted",
         .fault = host_rule_fault}),
    key("map", &HostNames::map,
        {.help = "names of single hosts; beats the rule",
         .usual = "`{}`",
         .kind = "table of `\"HOST@CLUSTER\" = \"NAME\"`",
         .by_hand = true}),
    key("leased_partitions", &AdapterSettings::leased_partitions,
        {.help = "partitions or queues whose pending jobs could run on leased hosts; none named: "
                 "all"}),
    key("divisible", &AgentSettings::divide,
        {.help = "whether a host may be used by two clusters at once, each with a part of its "
                 "slots: as the workload manager's settings say, or the operator's word: `yes` "
                 "beats what they say"}));

inline constexpr auto kWorkloadKeys = std::make_tuple(
    key("manager", &WorkloadSettings::manager,
        {.help = "the workload manager; the section of that name is read",
         .wanted = "the workload manager",
         .by_hand = true}),
    key("interrupt_signal", &WorkloadSettings::interrupt_signal,
        {.help = "the signal for work that must end, when its grace begins: `none` (it gets a "
                 "message only), or `URG` `WINCH`, which end nothing that does not catch them. "
                 "`USR1` `USR2` `TERM` `INT` `HUP` `XCPU` `CONT` are not sent and give a warning; "
                 "a job asks for its own signal by comment, `leasehold:signal=USR1`",
         .fault = signal_fault}));

inline constexpr auto kSchedulingKeys = std::make_tuple(
    key("policy", &SchedulingSettings::policy, {.help = "how slots are shared among sessions"}),
    key("criteria", &SchedulingSettings::criteria,
        {.help =
             "the session that gives up work first: the most over-allocated, or that with the most "
             "recent task"}),
    key("selective_reclaim", &SchedulingSettings::selective_reclaim,
        {.help = "`true`: choose the least important work of all hosts; `false`: host by host"}),
    key("preemption_scope", &SchedulingSettings::preemption_scope,
        {.help = "ranks that a preemptive session may take slots from"}),
    key("reclaim_optimization", &SchedulingSettings::reclaim_optimization,
        {.help = "`standby`: selective_reclaim has no effect"}),
    key("job_comments", &SchedulingSettings::job_comments,
        {.help =
             "the words of a job's comment `leasehold:rank=20,preemptive` that count, "
             "which whoever submits the job writes: none; only those that make its work easier to "
             "take; or all"}),
    key("random_seed", &SchedulingSettings::random_seed,
        {.help = "seed of the choice where nothing else decides",
         .range = {0, INT64_MAX},
         .usual = "none: by host name, newest start, id"}));

inline constexpr auto kSessionTypeKeys = std::make_tuple(
    key("match", &SessionType::match,
        {.help = "which jobs belong here (below)",
         .usual = "any job",
         .kind = "table",
         .by_hand = true}),
    key("session", &SessionType::session, {.help = "the jobs that make one session"}),
    key("preemptive", &SessionType::preemptive,
        {.help = "it may take slots from others when it has less than it deserves"}),
    key("preemption_rank", &SessionType::preemption_rank,
        {.help = "higher is safer; a job's comment `leasehold:rank=20,preemptive` beats it, as far "
                 "as job_comments says",
         .range = {1, kRankMax}}),
    key("priority", &SessionType::priority,
        {.help = "the session's share; its importance with policy `priority`",
         .range = {1, kSessionPriorityMax}}),
    key("min_slots", &SessionType::min_slots,
        {.help = "slots every session keeps (`minimum-services`)", .range = {0, kKeySlotsMost}}),
    key("exclusive_host", &SessionType::exclusive_host, {.help = "it takes whole hosts only"}));

inline constexpr auto kSessionMatchKeys =
    std::make_tuple(key("partition", &SessionMatch::partition,
                        {.help = "partition or queue; one name", .fault = partition_fault}),
                    key("qos", &SessionMatch::qos, {.help = "QOS or service class"}),
                    key("account", &SessionMatch::account, {.help = "account or project"}),
                    key("comment", &SessionMatch::comment,
                        {.help = "one word of the job's comment", .fault = comment_fault}));

}  // namespace leasehold::agent
