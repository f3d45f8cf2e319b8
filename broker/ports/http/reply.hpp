// Reply: an answer by HTTP as it is sent: status, what is said of it, its bytes. Every one carries
// the fields that keep browsers from doing with it what it is not for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/ports/http/head.hpp"
#include "common/instant.hpp"

namespace leasehold {

/// Bytes of answers that are in memory, for whoever still reads them.
using HeldBytes = std::shared_ptr<std::atomic<int64_t>>;

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string cache = "no-cache";  // Cache-Control
  std::string etag;                // "": it has none
  bool gzipped = false;
  std::vector<std::pair<std::string, std::string>> fields;  // others
  std::shared_ptr<const std::string> kept;                  // the body; or
  std::string_view fixed;                                   // bytes of the program itself
  std::string_view body() const { return kept ? std::string_view(*kept) : fixed; }
};

/// Counted until the last who reads them lets go.
std::shared_ptr<const std::string> held(std::string bytes, const HeldBytes& held_bytes);

Reply text_reply(int status, std::string type, std::string text);
/// {"error":{…}} as leasectl's; 401 with how to come in, 405 with what is allowed, 429 and 503 with
/// when to come again.
Reply refused(const Refusal& refusal);
/// What an Error of an answer is to HTTP: 400, 403, 404, 503.
int status_of(ErrorCode code);

/// Another one for other bytes. Weak: the same for both forms, compressed and not.
std::string etag_of(std::string_view bytes);
std::string gzipped(std::string_view bytes);

/// The lines before the body, the same whether it follows (GET) or not (HEAD).
std::string head_text(const Reply& reply, bool keep_alive, Instant date);
/// The same without a length: what follows goes on until the connection ends.
std::string stream_head_text(Instant date);

}  // namespace leasehold
