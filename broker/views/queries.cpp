#include "broker/views/queries.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

constexpr std::array<const char*, 8> kQueries{"clusters", "leases", "lease",     "hosts",
                                              "policies", "groups", "consumers", "explain"};

std::string meant(const std::string& name) {
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

Result<Json> answer_clusters(const State& state, const Liveness& liveness, const Json& request) {
  const std::string cluster = request_text(request, "cluster");
  if (!cluster.empty() && find_cluster(state, cluster) == kNoIndex) {
    return fail(ErrorCode::unknown,
                "there is no cluster '" + cluster + "'" + meant(nearest_cluster(state, cluster)));
  }
  return view_clusters(state, liveness, cluster);
}

Json integer_or_null(int value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

int integer_at(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int>() : 0;
}

}  // namespace

std::string request_text(const Json& request, const std::string& key) {
  auto found = request.find(key);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

bool request_flag(const Json& request, const std::string& key) {
  auto found = request.find(key);
  return found != request.end() && found->is_boolean() && found->get<bool>();
}

bool is_query(const std::string& command) {
  for (const char* query : kQueries) {
    if (command == query) return true;
  }
  return false;
}

Result<LeaseRef> require_lease(const State& state, const std::string& id) {
  if (id.empty()) return fail(ErrorCode::usage, "no lease is named; it would be POLICY:CONSUMER");
  const LeaseRef lease = find_lease_member(state, id);
  if (lease.group != kNoIndex) return lease;
  return fail(ErrorCode::unknown,
              "there is no lease '" + id + "'" + meant(nearest_lease(state, id)));
}

Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Json& request) {
  const std::string command = request_text(request, "command");
  if (command == "clusters") return answer_clusters(state, liveness, request);
  if (command == "leases") return view_leases(state);
  if (command == "hosts") return view_hosts(state, liveness, request_flag(request, "exported"));
  const bool details = request_flag(request, "details");
  if (command == "policies") return view_policies(state, details, sources.policies);
  if (command == "groups") return view_groups(state, details, sources.plans);
  if (command == "consumers") return view_consumers(state, details, sources.plans);
  const Result<LeaseRef> lease = require_lease(state, request_text(request, "lease"));
  if (!lease) return tl::unexpected(lease.error());
  if (command == "lease") return view_lease(state, *lease, Json::array());
  if (command == "explain") return view_explain(state, *lease, liveness);
  return fail(ErrorCode::usage, "'" + command + "' is not a query");
}

Json error_json(const Error& error) {
  return {{"code", token(error.code)},
          {"message", error.message},
          {"file", error.file.empty() ? Json(nullptr) : Json(error.file)},
          {"line", integer_or_null(error.line)},
          {"column", integer_or_null(error.column)}};
}

Error error_from_json(const Json& json) {
  const std::string code = request_text(json, "code");
  Error error{ErrorCode::refused, request_text(json, "message"), request_text(json, "file"),
              integer_at(json, "line"), integer_at(json, "column")};
  for (ErrorCode known :
       {ErrorCode::usage, ErrorCode::unknown, ErrorCode::refused, ErrorCode::unreachable,
        ErrorCode::io, ErrorCode::corrupt, ErrorCode::version}) {
    if (code == token(known)) error.code = known;
  }
  if (error.message.empty()) error.message = "the answer does not say what is wrong";
  return error;
}

}  // namespace leasehold
