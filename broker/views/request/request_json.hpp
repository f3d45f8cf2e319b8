// Requests as JSON, {"command": "lease", "lease": "pool:west"} (schema/json/README.md), and as
// people type them. leasectl writes them and a broker reads them, once, where they come in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"
#include "broker/views/request/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// A request that was read. Wrong fields are left out; the first of them is reported by name.
struct ReadRequest {
  Request request;
  std::optional<Error> mistake;  // of code usage
};
/// Reads a request. Fields that the command does not take are ignored, and all fields of an unknown
/// command. Instants may be relative to `now`.
ReadRequest read_request(const Json& object, Instant now);
/// Refuses an order that would end before it begins; an order that begins in the past begins now.
Status check_order_times(const Request& request);
/// Returns a request for that row of the catalogue. Contract: the row exists.
Request request_for(std::string_view command);
/// Returns the JSON with "leasehold", the version of requests; fields with their default are left
/// out.
Json request_json(const Request& request);

/// Return the request as a person would have typed it: "big1@east", "--for west --reclaim".
std::string subject_text(const Request& request);
std::string options_text(const Request& request);

/// The version of requests: {"leasehold": 1, …}.
inline constexpr int kRequestVersion = 1;
/// Ends each message of an answer except the last (Request::parts). JSON that is sent contains no
/// such byte.
inline constexpr char kMoreComes = '\n';
/// Longer reasons are refused.
inline constexpr size_t kReasonBytesMax = 500;

}  // namespace leasehold
