// Views: State and Liveness as the JSON that leasectl, the page and scripts read. Pure functions;
// the fields are those of schema/json/*.schema.json. Lists at top level, absent = null, times ISO
// 8601 UTC with milliseconds, slots integers. People's tables are made from the same JSON
// (tables/tables.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/lists/listed_row.hpp"
#include "broker/views/liveness.hpp"
#include "broker/views/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// One row per (cluster, remote, flow), like LSF's bclusters seen from each; a cluster without any
/// lease has one row with remote and flow null. `cluster` "" = all. `details`: what its work looks
/// like too, in each row of it.
Json view_clusters(const State& state, const Liveness& liveness, const std::string& cluster = {},
                   bool details = false);

/// The leases of a slot group: one, but of a plan one for each member that is a leaf.
std::vector<LeaseRef> leases_of(const State& state, uint32_t group);
using LeaseVisit = std::function<void(const LeaseRef&)>;
/// In the order of declaration; closed ones are left out.
void for_each_lease(const State& state, const LeaseVisit& each);
/// One row for each of them, as text where there may be very many.
void each_lease_row(const State& state, const RowVisit& visit);
Json view_leases(const State& state);
/// The row of one lease, as in view_leases.
Json view_lease_row(const State& state, LeaseRef lease);
/// Everything about one lease, host by host. `decisions` are rows of history, newest last.
Json view_lease(const State& state, LeaseRef lease, const Json& decisions);

/// One row a host of each cluster's inventory, and hosts that slots are still exported of.
/// `exported_only`: like bhosts -e.
Json view_hosts(const State& state, const Liveness& liveness, bool exported_only);

/// Where one value of a policy was written; nullopt: nowhere by itself.
using ValueSource =
    std::function<std::optional<Source>(const ExportPolicy& policy, std::string_view key)>;

/// Where a setting of a resource group (path "") or of one of its consumers was written, for
/// people: "broker.toml:42 (window 17:00-08:00)"; nullopt: nobody set it, it is the default.
using PlanSource = std::function<std::optional<std::string>(
    const std::string& group, const std::string& path, std::string_view key)>;

/// Where values come from; an empty one: this caller does not know.
struct ValueSources {
  ValueSource policies;
  PlanSource plans;
};

/// The export policies in force. `details`: every effective value and where it comes from. What
/// `source` does not know and differs from its default is said to come from its policy's line.
/// `plans`: of those whose slots a resource group has.
Json view_policies(const State& state, bool details, const ValueSource& source = {},
                   const PlanSource& plans = {});

/// The consumers of every plan in the tree's order, as they stand now. `details`: every effective
/// setting and where it comes from; null where no source knows.
Json view_consumers(const State& state, bool details, const PlanSource& source = {});
/// The resource groups in force.
Json view_groups(const State& state, bool details, const PlanSource& source = {});

/// Why a lease is as it is: what is so now, then its last evaluation, and what would change it.
Json view_explain(const State& state, LeaseRef lease, const Liveness& liveness = {});

/// What loading `loaded` at `now` would do: one row a lease whose slots change,
/// {"lease","resource_group","provider","consumer","slots_before","slots_after",
/// "slots_used_losing","reclaims"}. Under a plan: compared with an evaluation of the plan in force;
/// of a new one, with what its providers' hosts run now, as far as `liveness` knows.
Json view_reload(const State& state, const ConfigLoaded& loaded, Instant now,
                 const Liveness& liveness = {});

/// The known name nearest to `wanted` (edit distance), or "" if none is near.
std::string nearest_lease(const State& state, const std::string& wanted);
std::string nearest_cluster(const State& state, const std::string& wanted);
/// Of what a filter of tables (RequestField::of_cluster, …) is compared with: an Error that names
/// the nearest, where nothing is called so.
Status require_known(const State& state, RequestField filter, const std::string& wanted);

/// The kinds of history rows that the pattern matches. An Error names the nearest kind where it
/// matches none: nothing of such a kind can ever be found.
Result<std::vector<std::string>> kinds_like(const std::string& pattern);

/// Makes the name that a question is about whole where it is the beginning of one known name alone:
/// "eas" -> "east". Orders want whole names: request.row is a question, or nothing is changed. Of
/// one branch only its names count.
void complete_names(const State& state, Request& request);

/// The lease `id`, or an Error that names the nearest id.
Result<LeaseRef> require_lease(const State& state, const std::string& id);
/// A cluster that the configuration names, or an Error that names the nearest.
Status require_cluster(const State& state, const std::string& name);
/// The cluster of a consumer that people name: that cluster, or the path of a plan's leaf. Errors:
/// `unknown`, with the nearest; `usage`: a parent, or a leaf of several clusters, with those that
/// would be right.
Result<std::string> consumer_cluster(const State& state, const std::string& name);

}  // namespace leasehold
