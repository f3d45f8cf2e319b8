// Route: which answer a request by HTTP asks for.
#include "broker/ports/http/request/route.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

constexpr Instant kNow{1'795'284'000'000};

OrRefusal<Route> route(const std::string& target, const std::string& base_path = "") {
  const OrRefusal<RequestHead> head =
      read_head("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  REQUIRE(head);
  return route_of(*head, base_path, kNow);
}

}  // namespace

TEST_CASE("every question of the catalogue has its path, but for what is a whole database") {
  for (const RequestRow& row : questions()) {
    INFO(row.name);
    const OrRefusal<Route> found =
        route(std::string("/api/v1/") + row.name + (row.subject ? "/pool:west" : ""));
    if (row.admins_alone) {
      CHECK(found.error().status == 404);
      continue;
    }
    REQUIRE(found);
    CHECK(found->kind == RouteKind::question);
    CHECK(found->request.command == row.name);
    if (row.subject == RequestField::lease) CHECK(found->request.lease == "pool:west");
  }
}

TEST_CASE(
    "doors are told apart, with and without the base path that a proxy leaves or takes away") {
  const struct {
    const char* target;
    RouteKind kind;
    const char* file;
  } rows[] = {
      {"/livez", RouteKind::livez, ""},
      {"/readyz?verbose", RouteKind::readyz, ""},
      {"/leader?from=haproxy", RouteKind::leader, ""},
      {"/metrics", RouteKind::metrics, ""},
      {"/api/v1/stream", RouteKind::stream, ""},
      {"/api/v1/about", RouteKind::about, ""},
      {"/api/v1/openapi.json", RouteKind::openapi, ""},
      {"/", RouteKind::page, "index.html"},
      {"/assets/a.js", RouteKind::page, "assets/a.js"},
      {"/index.html", RouteKind::page, "index.html"},
  };
  for (const auto& row : rows) {
    for (const std::string prefix : {"", "/lease/hold"}) {
      INFO(prefix << row.target);
      const OrRefusal<Route> found = route(prefix + row.target, "/lease/hold");
      REQUIRE(found);
      CHECK(found->kind == row.kind);
      CHECK(found->file == row.file);
      CHECK_FALSE(found->bare);
    }
  }
  CHECK(route("/lease/hold", "/lease/hold")->bare);
  CHECK(route("/api/v1/leases", "/lease/hold")->kind == RouteKind::question);
}

TEST_CASE("a path or parameter that is none names the nearest that is") {
  const struct {
    const char* target;
    int status;
    const char* message;
  } rows[] = {
      {"/api/v1/leasses", 404, "did you mean 'leases'?"},
      {"/api/v1/leases/pool:west", 404, "there is no /api/v1/leases/pool:west"},
      {"/api/v2/leases", 404, "/api/v1"},
      {"/api", 404, "/api/v1"},
      {"/api/v1/backup", 404, "there is no"},
      {"/api/v1/clusters?clustr=east", 400, "did you mean 'cluster'?"},
      {"/api/v1/clusters?cluster=a&cluster=b", 400, "'cluster' is given twice"},
      {"/api/v1/clusters?details=maybe", 400, "details: true or false would be right"},
      {"/api/v1/history?limit=many", 400, "limit: a whole number would be right"},
      {"/api/v1/history?since=noon", 400, "since:"},
      {"/api/v1/clusters?at=noon", 400, "at:"},
      {"/api/v1/leases?at=9999-01-01T00:00:00Z", 400,
       "at: 9999-01-01T00:00:00.000Z is in the future"},
      {"/api/v1/doctor?at=9999-01-01T00:00:00Z", 400, "is in the future"},
      {"/api/v1/history?at=9999-01-01T00:00:00Z", 400, "is in the future"},
      {"/api/v1/usage?at=9999-01-01T00:00:00Z", 400, "is in the future"},
      {"/api/v1/history?limit=-5", 400, "limit: a whole number from 1 would be right"},
      {"/api/v1/history?limit=0", 400, "limit: a whole number from 1 would be right"},
      {"/api/v1/leases?limit=-5", 400, "limit: a whole number from 1"},
      {"/api/v1/leases?limit=0", 400, "limit: a whole number from 1"},
      {"/api/v1/lease/x?limit=3", 400, "takes no 'limit'"},
      {"/api/v1/about?x=1", 400, "not a parameter"},
      {"/api/v1/leases?csv=1", 400, "takes no 'csv'"},
  };
  for (const auto& row : rows) {
    INFO(row.target);
    const OrRefusal<Route> found = route(row.target);
    REQUIRE_FALSE(found);
    CHECK(found.error().status == row.status);
    CHECK_THAT(found.error().error.message, Catch::Contains(row.message));
  }
}

TEST_CASE("parameters are the fields of requests, and every question has a past") {
  const OrRefusal<Route> clusters = route("/api/v1/clusters?cluster=east&details=true&at=-2h");
  REQUIRE(clusters);
  CHECK(clusters->request.cluster_like == "east");
  CHECK(clusters->request.details);
  CHECK(clusters->request.at == kNow + -7'200'000);
  const OrRefusal<Route> history = route("/api/v1/history?after=12&limit=5&newest&at=-1h");
  REQUIRE(history);
  CHECK(history->request.after == 12);
  CHECK(history->request.limit == 5);
  CHECK(history->request.newest);
  CHECK(history->request.until == kNow + -3'600'000);
  const OrRefusal<Route> leases = route("/api/v1/leases?after=pool%3Awest&limit=5");
  REQUIRE(leases);
  CHECK(leases->selection.after == "pool:west");
  CHECK(leases->selection.limit == 5);
  CHECK(route("/api/v1/explain/compute:/research/genomics")->request.lease ==
        "compute:/research/genomics");
}
