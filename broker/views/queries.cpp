#include "broker/views/queries.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

constexpr std::array<const char*, 6> kQueries{"clusters", "leases",   "lease",
                                              "hosts",    "policies", "explain"};

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

Result<uint32_t> require_lease(const State& state, const std::string& id) {
  if (id.empty()) return fail(ErrorCode::usage, "no lease is named; it would be POLICY:CONSUMER");
  const uint32_t group = find_lease(state, id);
  if (group != kNoIndex) return group;
  return fail(ErrorCode::unknown,
              "there is no lease '" + id + "'" + meant(nearest_lease(state, id)));
}

Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSource& source,
                          const Json& request) {
  const std::string command = request_text(request, "command");
  if (command == "clusters") return answer_clusters(state, liveness, request);
  if (command == "leases") return view_leases(state);
  if (command == "hosts") return view_hosts(state, liveness, request_flag(request, "exported"));
  if (command == "policies") return view_policies(state, request_flag(request, "details"), source);
  const Result<uint32_t> group = require_lease(state, request_text(request, "lease"));
  if (!group) return tl::unexpected(group.error());
  if (command == "lease") return view_lease(state, *group, Json::array());
  if (command == "explain") return view_explain(state, *group);
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
