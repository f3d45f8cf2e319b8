// Reply is an answer by HTTP as it is sent: status, header fields, body. Every reply carries the
// fields that keep browsers from using it for anything else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/ports/http/request/head.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// The count of bytes of answers in memory, which falls when the last reader lets go.
using HeldBytes = std::shared_ptr<std::atomic<int64_t>>;

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string cache = "no-cache";  // Cache-Control
  std::string etag;                // "": it has none
  bool gzipped = false;
  std::vector<std::pair<std::string, std::string>> fields;  // further header fields
  std::shared_ptr<const std::string> kept;                  // the body; or
  std::string_view fixed;                                   // bytes of the program itself
  std::string_view body() const { return kept ? std::string_view(*kept) : fixed; }
};

/// Shares `bytes`, which `held_bytes` counts until the last reader lets go.
std::shared_ptr<const std::string> held(std::string bytes, const HeldBytes& held_bytes);

Reply text_reply(int status, std::string type, std::string text);
/// A reply with {"error":{…}} as leasectl has it; 401 says how to authenticate, 405 what is
/// allowed, 429 and 503 when to try again.
Reply refused(const Refusal& refusal);
/// Returns the HTTP status of an Error: 400, 403, 404 or 503.
int status_of(ErrorCode code);

/// A tag that differs for other bytes. It is weak: both forms, compressed and not, share it.
std::string etag_of(std::string_view bytes);
std::string gzipped(std::string_view bytes);

/// Makes the lines before the body, the same whether it follows (GET) or not (HEAD).
std::string head_text(const Reply& reply, bool keep_alive, Instant date);
/// Makes them without a length: the stream that follows goes on until the connection ends.
std::string stream_head_text(Instant date);

}  // namespace leasehold
