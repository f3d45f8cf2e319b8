// explain of anything but a lease: a cluster with the work that waits there, a host, a consumer of
// a plan. It collects what each lease there says of itself, and what needs a person there.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Explains `id`: a lease, "big1@east", a consumer's "/path" or a cluster. Error (unknown): it is
/// none of them; the error names the nearest.
Result<Json> view_explain_any(const State& state, const std::string& id, const Liveness& liveness);

}  // namespace leasehold

namespace leasehold::explanation {

/// At most so many leases are listed; the others are counted.
inline constexpr size_t kLeasesMost = 50;

/// Returns
/// {"id","kind","sentence","reason","numbers","needs","leases","leases_left","work","waiting",
/// "waits_for","would_change","evaluated_at"}, all empty except the first three.
Json empty_answer(const std::string& id, const char* kind, const std::string& sentence);

/// Adds {"id","role","slots","used","reason","sentence","waits_for"} of the lease to `answer`, and
/// what would change it. Beyond kLeasesMost the lease is only counted.
void add_lease(Json& answer, const State& state, const LeaseRef& lease, const char* role,
               const Liveness& liveness);

/// Adds the needs that are about `subject` ("": all of them) or about the whole site.
void add_needs(Json& answer, const State& state, const Liveness& liveness,
               const std::string& subject);

Json explain_cluster(const State& state, uint32_t cluster, const Liveness& liveness);
Json explain_host(const State& state, uint32_t cluster, uint32_t host, const Liveness& liveness);
Json explain_consumer(const State& state, uint32_t plan, const std::string& path,
                      const Liveness& liveness);

}  // namespace leasehold::explanation
