// Requests as JSON, {"command": "lease", "lease": "pool:west"} (schema/json/README.md), and as
// people type them. leasectl writes what a broker reads, once, where it comes in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"
#include "broker/views/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What came in. What is wrong in it is left out, and the first of it told, naming the field.
struct ReadRequest {
  Request request;
  std::optional<Error> mistake;  // usage
};
/// Fields that the command does not take are left alone, and of a command that is unknown all.
/// Instants may be relative to `now`.
ReadRequest read_request(const Json& object, Instant now);
/// A request for that row of the catalogue, which must be there.
Request request_for(std::string_view command);
/// With "leasehold", the version of requests; what says nothing is left out.
Json request_json(const Request& request);

/// As a person would have typed it: "big1@east", "--for west --reclaim".
std::string subject_text(const Request& request);
std::string options_text(const Request& request);

/// Version of the requests: {"leasehold": 1, …}.
inline constexpr int kRequestVersion = 1;
/// The end of a message of an answer that others follow (Request::parts); the last one has none,
/// and none stands in the JSON that is sent.
inline constexpr char kMoreComes = '\n';
/// Longer reasons are no reasons but files.
inline constexpr size_t kReasonBytesMax = 500;

}  // namespace leasehold
