// Head: the first lines of a request by HTTP.
#include "broker/ports/http/request/head.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

std::string with(const std::string& line, const std::string& fields = "Host: localhost\r\n") {
  return line + "\r\n" + fields + "\r\n";
}

int status_of_head(const std::string& text) {
  const OrRefusal<RequestHead> head = read_head(text);
  return head ? 200 : head.error().status;
}

}  // namespace

TEST_CASE("a head of HTTP is read: its path decoded, its parameters in order, its fields") {
  const OrRefusal<RequestHead> head =
      read_head(with("GET /api/v1/lease/plan:%2Fa%20b/c?at=-2h&cluster=a%26b+c&empty HTTP/1.1",
                     "Host: localhost:7442\r\nX-One:  a \r\nx-one: b\r\nConnection: close\r\n"));
  REQUIRE(head);
  CHECK(head->method == "GET");
  CHECK(head->path == std::vector<std::string>{"api", "v1", "lease", "plan:/a b", "c"});
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(head->parameters == Pairs{{"at", "-2h"}, {"cluster", "a&b c"}, {"empty", ""}});
  CHECK(head->field("host") == "localhost:7442");
  CHECK(head->field("x-one") == "a, b");
  CHECK(head->field("absent").empty());
  CHECK_FALSE(head->keep_alive);
  CHECK(read_head(with("GET / HTTP/1.1"))->keep_alive);
  CHECK_FALSE(read_head(with("GET / HTTP/1.0", ""))->keep_alive);
  CHECK(read_head(with("GET / HTTP/1.1"))->path == std::vector<std::string>{""});
}

TEST_CASE("what a proxy and the broker could read in two ways is refused, and so is a body") {
  const struct {
    const char* what;
    std::string text;
    int status;
  } cases[] = {
      {"no request line", with("hello"), 400},
      {"another protocol", with("GET / HTTP/2.0"), 505},
      {"an order", with("POST /api/v1/leases HTTP/1.1"), 405},
      {"an unknown method", with("BREW / HTTP/1.1"), 405},
      {"a whole address of another kind", with("GET ftp://localhost/ HTTP/1.1"), 400},
      {"a whole address without a host", with("GET http:///a HTTP/1.1"), 400},
      {"a whole address with a port alone", with("GET http://:80/a HTTP/1.1"), 400},
      {"a whole address with a user", with("GET http://localhost@other/ HTTP/1.1"), 400},
      {"a whole address without the field", with("GET http://localhost/ HTTP/1.1", ""), 400},
      {"a word for an address", with("GET localhost HTTP/1.1"), 400},
      {"a broken escape", with("GET /%4 HTTP/1.1"), 400},
      {"an escape of nothing", with("GET /a%00b HTTP/1.1"), 400},
      {"a byte of nothing in the address", with(std::string("GET /a\0b HTTP/1.1", 17)), 400},
      {"a byte that is no plain character there", with("GET /\xc3\xbc HTTP/1.1"), 400},
      {"a broken parameter", with("GET /?a=%zz HTTP/1.1"), 400},
      {"no host", with("GET / HTTP/1.1", ""), 400},
      {"two hosts", with("GET / HTTP/1.1", "Host: a\r\nHost: b\r\n"), 400},
      {"two tokens", with("GET / HTTP/1.1", "Host: a\r\nAuthorization: a\r\nAuthorization: b\r\n"),
       400},
      {"a space before the colon", with("GET / HTTP/1.1", "Host : a\r\n"), 400},
      {"a folded field", with("GET / HTTP/1.1", "Host: a\r\n b: c\r\n"), 400},
      {"a control character", with("GET / HTTP/1.1", "Host: a\x01\r\n"), 400},
      {"a line of its own end", with("GET / HTTP/1.1", "Host: a\nX: b\r\n"), 400},
      {"a body", with("GET / HTTP/1.1", "Host: a\r\nContent-Length: 5\r\n"), 413},
      {"a body in parts", with("GET / HTTP/1.1", "Host: a\r\nTransfer-Encoding: chunked\r\n"), 413},
      {"an empty Content-Length", with("GET / HTTP/1.1", "Host: a\r\nContent-Length:\r\n"), 400},
      {"a Content-Length of blanks", with("GET / HTTP/1.1", "Host: a\r\nContent-Length: \r\n"),
       400},
      {"a Content-Length below 0", with("GET / HTTP/1.1", "Host: a\r\nContent-Length: -1\r\n"),
       400},
      {"two Content-Lengths in one", with("GET / HTTP/1.1", "Host: a\r\nContent-Length: 0, 0\r\n"),
       400},
      {"an empty Transfer-Encoding", with("GET / HTTP/1.1", "Host: a\r\nTransfer-Encoding:\r\n"),
       400},
      {"an empty body", with("GET / HTTP/1.1", "Host: a\r\nContent-Length: 0\r\n"), 200},
  };
  for (const auto& row : cases) {
    INFO(row.what);
    CHECK(status_of_head(row.text) == row.status);
  }
}

TEST_CASE("a target that is a whole address is accepted, and its host stands for the field's") {
  const struct {
    const char* target;
    const char* host;
    std::vector<std::string> path;
  } cases[] = {
      {"http://hub:7442/api/v1/leases?at=-2h", "hub:7442", {"api", "v1", "leases"}},
      {"HTTPS://hub/", "hub", {""}},
      {"http://hub", "hub", {""}},
      {"http://hub?at=-2h", "hub", {""}},
      {"http://[::1]:7442/livez", "[::1]:7442", {"livez"}},
      {"/livez", "localhost", {"livez"}},
  };
  for (const auto& row : cases) {
    INFO(row.target);
    const auto head = read_head(with("GET " + std::string(row.target) + " HTTP/1.1"));
    REQUIRE(head);
    CHECK(head->field("host") == row.host);
    CHECK(head->path == row.path);
    const bool asks = std::string_view(row.target).find('?') != std::string_view::npos;
    CHECK(head->parameters.size() == (asks ? 1 : 0));
  }
}

TEST_CASE("a head that goes on is waited for, up to its bound") {
  CHECK(head_end("GET / HTTP/1.1\r\nHost: a\r\n")->has_value() == false);
  CHECK(**head_end("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET") == 27);
  CHECK(head_end("GET /" + std::string(kRequestLineBytesMax, 'a')).error().status == 414);
  CHECK(head_end("GET / HTTP/1.1\r\nX: " + std::string(kHeadBytesMax, 'a')).error().status == 431);
  std::string many;
  for (size_t i = 0; i <= kFieldsMax; ++i) many += "X: a\r\n";
  CHECK(status_of_head(with("GET / HTTP/1.1", many)) == 431);
}

TEST_CASE("what a visitor says of compression, of what it has and of itself is understood") {
  CHECK(takes_gzip("gzip, deflate, br"));
  CHECK(takes_gzip("br;q=1.0, GZIP;q=0.5"));
  CHECK(takes_gzip("*"));
  CHECK_FALSE(takes_gzip("gzip;q=0"));
  CHECK_FALSE(takes_gzip("gzip;q=0.0, br"));
  CHECK_FALSE(takes_gzip("br"));
  CHECK_FALSE(takes_gzip(""));
  CHECK(names_etag("\"a\", W/\"b\"", "W/\"b\""));
  CHECK(names_etag("\"b\"", "W/\"b\""));
  CHECK(names_etag("*", "\"b\""));
  CHECK_FALSE(names_etag("\"a\"", "\"b\""));
  CHECK_FALSE(names_etag("", "\"b\""));
  CHECK_FALSE(names_etag("\"a\"", ""));
  CHECK(bearer_token("Bearer abc") == "abc");
  CHECK(bearer_token("bearer  abc") == "abc");
  CHECK(bearer_token("Basic abc").empty());
  CHECK(bearer_token("").empty());
}
