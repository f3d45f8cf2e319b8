// Head reads the first lines of an HTTP/1.1 request strictly: what a proxy and this broker could
// understand in two ways is refused. Requests with a body are refused too: nobody changes anything
// here. Pure. route.hpp tells which answer a request gets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.hpp"

namespace leasehold {

inline constexpr size_t kRequestLineBytesMax = 8 << 10;
inline constexpr size_t kHeadBytesMax = 16 << 10;
inline constexpr size_t kFieldsMax = 100;

/// An answer that refuses: its status, and what is wrong and what would be right.
struct Refusal {
  int status = 400;
  Error error;
};
template <class T>
using OrRefusal = tl::expected<T, Refusal>;
tl::unexpected<Refusal> refuse(int status, ErrorCode code, std::string message);
tl::unexpected<Refusal> bad_request(std::string message);

struct RequestHead {
  std::string method;
  std::vector<std::string> path;  // between the slashes, decoded; "/" is {""}
  std::vector<std::pair<std::string, std::string>> parameters;  // decoded, in order
  std::map<std::string, std::string, std::less<>> fields;       // names in lower case
  std::string authority;  // HOST:PORT of a target that is a whole address; field("host") then
  bool keep_alive = true;

  /// Returns "" if it is absent.
  const std::string& field(std::string_view name) const;
};

/// Returns the length of the head in the bytes that came in so far; nullopt: its end has not come
/// yet. Refused: it is too long.
OrRefusal<std::optional<size_t>> head_end(std::string_view bytes);
/// Reads a head. Contract: `bytes` end at head_end().
OrRefusal<RequestHead> read_head(std::string_view bytes);

/// Decodes "%2F" to "/"; in a `query` '+' becomes a space. nullopt: no hexadecimal number follows a
/// '%', or it is 0.
std::optional<std::string> percent_decoded(std::string_view text, bool query);

/// True if the visitor takes "gzip", unless with q=0.
bool takes_gzip(std::string_view accept_encoding);
/// True if one of the tags of If-None-Match is `etag`, or "*".
bool names_etag(std::string_view if_none_match, std::string_view etag);
/// Returns the word after "Bearer"; "" where there is none.
std::string_view bearer_token(std::string_view authorization);

}  // namespace leasehold
