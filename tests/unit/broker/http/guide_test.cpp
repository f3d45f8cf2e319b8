// The guide below /docs: without a token, under a base path too, and where there is none.
#include <catch2/catch.hpp>

#include "broker/ports/http/answers/front.hpp"

using namespace leasehold;

namespace {

constexpr PageFile kGuideFiles[] = {
    {"index.html", "text/html; charset=utf-8", "\"1\"", "<h1>The guide</h1>", ""},
    {"keys.html", "text/html; charset=utf-8", "\"2\"", "<h1>Keys</h1>", ""},
};
constexpr PageFile kPageFiles[] = {
    {"index.html", "text/html; charset=utf-8", "\"3\"", "<h1>Leasehold</h1>", ""}};

/// With a base path every question needs a token.
Notice notice_at(const std::string& base_path) {
  auto access = std::make_shared<Access>();
  access->http.base_path = base_path;
  Notice notice;
  notice.in_force = std::make_shared<const InForce>(InForce{"hub", Mode::lease, access});
  return notice;
}

std::shared_ptr<const Reply> got(const std::string& path, const std::string& base_path = "",
                                 std::span<const PageFile> guide = kGuideFiles) {
  Front front(kPageFiles, guide);
  const OrRefusal<RequestHead> head =
      read_head("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  REQUIRE(head);
  Outcome outcome = front.receive(*head, "127.0.0.1", notice_at(base_path), 10'000);
  REQUIRE(outcome.reply != nullptr);
  return outcome.reply;
}

}  // namespace

TEST_CASE("the guide is shown without a token, where questions need one") {
  CHECK(got("/api/v1/leases", "/lease")->status == 401);
  CHECK(got("/docs/", "/lease")->body() == "<h1>The guide</h1>");
  CHECK(got("/docs/keys.html", "/lease")->body() == "<h1>Keys</h1>");
  CHECK(got("/docs/keys.html")->etag == "\"2\"");
  CHECK(got("/")->body() == "<h1>Leasehold</h1>");
  CHECK(got("/keys.html")->status == 404);
  CHECK(got("/docs/assets")->status == 404);
}

TEST_CASE("the guide is at its folder, whether a proxy leaves the base path or takes it away") {
  for (const char* path : {"/docs", "/lease/docs"}) {
    const auto reply = got(path, "/lease");
    CHECK(reply->status == 308);
    REQUIRE(reply->fields.size() == 1);
    CHECK(reply->fields[0].second == "/lease/docs/");
    CHECK(got(std::string(path) + "/", "/lease")->body() == "<h1>The guide</h1>");
  }
  CHECK(got("/docs")->fields[0].second == "/docs/");
}

TEST_CASE("a broker that was built without its guide says so, and shows its page") {
  const auto reply = got("/docs/", "", {});
  CHECK(reply->status == 404);
  CHECK(reply->body().find("built without its guide") != std::string::npos);
  CHECK(got("/", "", {})->status == 200);
}
