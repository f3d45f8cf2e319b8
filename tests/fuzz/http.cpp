// http reads any bytes as the head of a request to the broker's page and API, and as its target.
#include "broker/ports/http/request/head.hpp"
#include "broker/ports/http/request/route.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// A field or a parameter may be one byte, and takes a node of a map.
constexpr uint64_t kBytesEach = 1 << 10;
constexpr uint64_t kBytesAlways = 256 << 10;

void check_refusal(const Refusal& refusal) {
  LEASEHOLD_CHECK(refusal.status >= 400 && refusal.status < 600, "a refusal is an HTTP error");
  LEASEHOLD_CHECK(!refusal.error.message.empty(), "and says why");
}

void check_head(const RequestHead& head) {
  LEASEHOLD_CHECK(head.method == "GET" || head.method == "HEAD", "nothing is changed by HTTP");
  LEASEHOLD_CHECK(!head.path.empty() && head.fields.size() <= kFieldsMax, "within its bounds");
  for (const std::string& part : head.path) {
    LEASEHOLD_CHECK(part.find('\0') == std::string::npos, "no name ends early");
  }
  for (const auto& [name, value] : head.fields) {
    LEASEHOLD_CHECK(value.find_first_of("\r\n") == std::string::npos, "a field is one line");
  }
  static_cast<void>(takes_gzip(head.field("accept-encoding")));
  static_cast<void>(names_etag(head.field("if-none-match"), "\"0\""));
  static_cast<void>(bearer_token(head.field("authorization")));
  for (const char* base : {"", "/leasehold"}) {
    const OrRefusal<Route> route = route_of(head, base, Instant{1'795'284'000'000});
    if (!route) {
      check_refusal(route.error());
    } else if (route->kind == RouteKind::question) {
      LEASEHOLD_CHECK(route->request.row != nullptr && is_served(*route->request.row),
                      "what is asked is a question that HTTP answers");
    }
  }
}

void check(std::string_view bytes) {
  const uint64_t before = fuzz::allocated_bytes();
  const OrRefusal<std::optional<size_t>> end = head_end(bytes);
  if (!end) return check_refusal(end.error());
  if (!*end) return;
  LEASEHOLD_CHECK(**end <= bytes.size() && **end <= kHeadBytesMax, "the head is what was sent");
  const OrRefusal<RequestHead> head = read_head(bytes.substr(0, **end));
  if (!head) return check_refusal(head.error());
  check_head(*head);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * bytes.size(),
                  "memory grows with the bytes that are there");
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leasehold::check(leasehold::fuzz::text_of({data, size}));
  return 0;
}
