// explain of what is no lease: a cluster with the work that waits there, a host, a consumer of a
// plan. It gathers what each lease says of itself, and what needs a person there.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"
#include "common/result.hpp"

namespace leasehold {

/// `id`: a lease, "big1@east", a consumer's "/path", a cluster. Error (unknown): it is none of
/// them; names the nearest.
Result<Json> view_explain_any(const State& state, const std::string& id, const Liveness& liveness);

}  // namespace leasehold

namespace leasehold::explanation {

/// Leases told one by one; of more only how many.
inline constexpr size_t kLeasesTold = 50;

/// {"id","kind","sentence","reason","numbers","needs","leases","leases_left","work","waits_for",
/// "would_change","evaluated_at"}, all but the first three empty.
Json empty_answer(const std::string& id, const char* kind, const std::string& sentence);

/// {"id","role","slots","used","reason","sentence","waits_for"} of the lease, and what would change
/// it into `answer`; beyond kLeasesTold it is counted only.
void add_lease(Json& answer, const State& state, const LeaseRef& lease, const char* role,
               const Liveness& liveness);

/// What needs a person and is about `subject` ("" where all are meant) or the whole site.
void add_needs(Json& answer, const State& state, const Liveness& liveness,
               const std::string& subject);

Json explain_cluster(const State& state, uint32_t cluster, const Liveness& liveness);
Json explain_host(const State& state, uint32_t cluster, uint32_t host, const Liveness& liveness);
Json explain_consumer(const State& state, uint32_t plan, const std::string& path,
                      const Liveness& liveness);

}  // namespace leasehold::explanation
