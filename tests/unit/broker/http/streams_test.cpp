// Streams: how many there may be, and which end with a reload.
#include "broker/ports/http/streams.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

HttpConfig limits_of(int32_t all, int32_t per_address) {
  HttpConfig limits;
  limits.streams = all;
  limits.streams_per_address = per_address;
  return limits;
}

Visitor visitor_at(const std::string& address) {
  return {address, {}, {}};
}

Notice notice_of(int64_t event, const Access& access = {}) {
  Notice notice;
  notice.event = event;
  auto in_force = std::make_shared<InForce>();
  in_force->access = std::make_shared<const Access>(access);
  notice.in_force = std::move(in_force);
  return notice;
}

}  // namespace

TEST_CASE("streams of one address and of all have limits, and one that ends makes room") {
  Streams streams({});
  const HttpConfig limits = limits_of(3, 2);
  REQUIRE(streams.begin(16, Stream(""), visitor_at("a"), limits));
  REQUIRE(streams.begin(17, Stream(""), visitor_at("a"), limits));
  const auto third = streams.begin(18, Stream(""), visitor_at("a"), limits);
  REQUIRE_FALSE(third);
  CHECK(third.error().status == 429);
  REQUIRE(streams.begin(19, Stream(""), visitor_at("b"), limits));
  const auto fourth = streams.begin(20, Stream(""), visitor_at("b"), limits);
  REQUIRE_FALSE(fourth);
  CHECK(fourth.error().status == 503);
  CHECK(streams.count() == 3);
  streams.end(16);
  streams.end(99);  // a connection without one
  CHECK(streams.begin(21, Stream(""), visitor_at("a"), limits));
}

TEST_CASE("a reload that asks for tokens ends the streams that were let in without one") {
  Streams streams({});
  REQUIRE(streams.begin(16, Stream(""), visitor_at("a"), {}));
  REQUIRE(streams.begin(17, Stream(""), visitor_at("b"), {}));
  CHECK(streams.unwelcome(notice_of(7)).empty());
  Access access;
  access.http.base_path = "/leasehold";
  const Notice with_tokens = notice_of(7, access);
  CHECK(streams.unwelcome(with_tokens) == std::vector<Streams::Id>{16, 17});
  CHECK(streams.unwelcome(with_tokens).empty());  // of each configuration once
}

TEST_CASE("the loop signals its turn while no stream will look by itself soon") {
  Streams streams({});
  const Notice notice = notice_of(7);
  CHECK_FALSE(streams.wait_for_loop(notice, 1'000));
  REQUIRE(streams.begin(16, Stream(""), visitor_at("a"), {}));
  CHECK_FALSE(streams.next(16, notice, 1'000).empty());
  CHECK(streams.wait_for_loop(notice, 1'100));
  CHECK_FALSE(streams.wait_for_loop(notice_of(8), 1'100));
  CHECK(streams.next_ms(16, notice_of(8)) == 1'000 + Stream::kBetween_ms);
}
