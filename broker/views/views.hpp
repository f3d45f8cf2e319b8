// Views: State and Liveness as the JSON that leasectl, the page and scripts read. They are pure
// functions; the fields are those of schema/json/*.schema.json. Lists are at top level, absent
// values are null, times are ISO 8601 UTC with milliseconds, slots are integers. Tables for people
// are made from the same JSON (tables/tables.hpp).
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
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"
#include "broker/views/lists/listed_row.hpp"
#include "broker/views/request/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Returns one row for each (cluster, remote, flow), like LSF's bclusters seen from each; a cluster
/// without any lease has one row with remote and flow null. `cluster`: "" means all. `details`:
/// each row also says what the cluster's work looks like.
Json view_clusters(const State& state, const Liveness& liveness, const std::string& cluster = {},
                   bool details = false);

/// Returns the leases of a slot group: one, or under a plan one for each member that is a leaf.
std::vector<LeaseRef> leases_of(const State& state, uint32_t group);
using LeaseVisit = std::function<void(const LeaseRef&)>;
/// Visits the leases in the order of declaration, without closed ones.
void for_each_lease(const State& state, const LeaseVisit& each);
/// Makes one row for each lease; it is text, because there may be very many.
void each_lease_row(const State& state, const RowVisit& visit);
Json view_leases(const State& state);
/// Returns the row of one lease, as in view_leases.
Json view_lease_row(const State& state, LeaseRef lease);
/// Returns everything about one lease, host by host. `decisions` are rows of history, the newest
/// last.
Json view_lease(const State& state, LeaseRef lease, const Json& decisions);

/// Returns one row for each host of each cluster's inventory, and for hosts that slots are still
/// exported of. `exported_only`: only exporting hosts, like bhosts -e.
Json view_hosts(const State& state, const Liveness& liveness, bool exported_only);

/// Returns where one value of a policy was written; nullopt: it was not written by itself.
using ValueSource =
    std::function<std::optional<Source>(const ExportPolicy& policy, std::string_view key)>;

/// Returns where a setting of a resource group (path "") or of one of its consumers was written,
/// for people: "broker.toml:42 (window 17:00-08:00)"; nullopt: it is the default.
using PlanSource = std::function<std::optional<std::string>(
    const std::string& group, const std::string& path, std::string_view key)>;

/// The functions that know where values were written. An empty one means that the caller does not
/// know.
struct ValueSources {
  ValueSource policies;
  PlanSource plans;
};

/// Returns the export policies in force. `details`: every effective value and where it was written;
/// a value that `source` does not know and that differs from its default is said to come from its
/// policy's line. `plans` is asked for policies whose slots a resource group has.
Json view_policies(const State& state, bool details, const ValueSource& source = {},
                   const PlanSource& plans = {});

/// Returns the consumers of every plan in the tree's order, as they are now. `details`: every
/// effective setting and where it was written; null where no source knows.
Json view_consumers(const State& state, bool details, const PlanSource& source = {});
/// Returns the resource groups in force.
Json view_groups(const State& state, bool details, const PlanSource& source = {});

/// Says why a lease is as it is: its present conditions, then its last evaluation, and what would
/// change it.
Json view_explain(const State& state, LeaseRef lease, const Liveness& liveness = {});

/// Returns what loading `loaded` at `now` would do: one row for each lease whose slots change,
/// {"lease","resource_group","provider","consumer","slots_before","slots_after",
/// "slots_used_losing","reclaims"}. A plan is compared with an evaluation of the plan in force; a
/// new one with what its providers' hosts run now, as far as `liveness` knows.
Json view_reload(const State& state, const ConfigLoaded& loaded, Instant now,
                 const Liveness& liveness = {});

/// Return the known name nearest to `wanted` (edit distance), or "" if none is near.
std::string nearest_lease(const State& state, const std::string& wanted);
std::string nearest_cluster(const State& state, const std::string& wanted);
/// Checks the name that a filter of tables (RequestField::of_cluster, …) is compared with. Returns
/// an Error that names the nearest, where nothing has that name.
Status require_known(const State& state, RequestField filter, const std::string& wanted);

/// Returns the kinds of history rows that the pattern matches. An Error names the nearest kind
/// where it matches none: nothing of such a kind can ever be found.
Result<std::vector<std::string>> kinds_like(const std::string& pattern);

/// Completes the name that a question is about, where it is the beginning of exactly one known
/// name: "eas" becomes "east". Orders need whole names, so a request whose row is no question stays
/// as it is. For a branch only its names count.
void complete_names(const State& state, Request& request);

/// Returns the lease `id`, or an Error that names the nearest id.
Result<LeaseRef> require_lease(const State& state, const std::string& id);
/// Returns an Error that names the nearest, unless the configuration names that cluster.
Status require_cluster(const State& state, const std::string& name);
/// Returns the cluster of a consumer that people name by that cluster, or by the path of a plan's
/// leaf. Errors: `unknown` names the nearest; `usage` for a parent, or for a leaf of several
/// clusters, names those that would be right.
Result<std::string> consumer_cluster(const State& state, const std::string& name);

}  // namespace leasehold
