// leasectl reads history page by page, and follows it.
#include "broker/ctl/history/history_pages.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/request/request_json.hpp"

using namespace leasehold;
using ctl::HistoryPages;

namespace {

/// A broker's history: ids from 1, every tenth of the kind that is asked for.
struct Broker {
  int64_t rows = 0;
  int64_t looked_at = 0;  // rows that questions by kind made it look at

  Json answer(const Request& request) {
    Json found = Json::array();
    for (int64_t id = request.after.value_or(0) + 1; id <= rows; ++id) {
      if (!request.kind_like.empty()) ++looked_at;
      if (request.kind_like.empty() || id % 10 == 0) found.push_back({{"id", id}});
    }
    const auto most = static_cast<size_t>(request.limit.value_or(INT64_MAX));
    if (found.size() <= most) return found;
    const auto cut = static_cast<std::ptrdiff_t>(most);
    return request.newest ? Json(std::vector<Json>(found.end() - cut, found.end()))
                          : Json(std::vector<Json>(found.begin(), found.begin() + cut));
  }
  HistoryPages pages(const std::string& kind, bool follow) {
    Request request = request_for("history");
    request.kind_like = kind;
    request.follow = follow;
    return {request, [this](const Request& asked) -> Result<Json> { return answer(asked); }};
  }
};

}  // namespace

TEST_CASE("who followed rows that seldom come had all of history looked through each time") {
  Broker broker{1'009};
  HistoryPages pages = broker.pages("alarm", true);
  pages.newest(10);
  CHECK(pages.next()->size() == 10);
  CHECK(pages.next()->empty());
  broker.looked_at = 0;
  for (int poll = 0; poll < 100; ++poll) CHECK(pages.next()->empty());
  CHECK(broker.looked_at == 0);
  broker.rows = 1'010;
  REQUIRE(pages.next()->size() == 1);
  broker.rows = 1'020;
  CHECK((*pages.next())[0]["id"] == 1'020);
}

TEST_CASE("a broker that answers each question with the same page was asked without end") {
  HistoryPages pages(request_for("history"), [](const Request& asked) -> Result<Json> {
    return Json::array({{{"id", asked.newest ? 9 : 5}}});
  });
  CHECK(pages.next()->size() == 1);
  CHECK(pages.next()->size() == 1);  // nobody knows yet that it is the same
  CHECK(pages.next()->empty());
}

TEST_CASE("a history that is followed before it has begun is shown from its first row on") {
  Broker broker;
  HistoryPages pages = broker.pages("", true);
  pages.newest(10);
  CHECK(pages.next()->empty());
  broker.rows = 20;
  CHECK(pages.next()->size() == 20);
}

TEST_CASE("a history that is not followed ends where it ended when it was asked for") {
  Broker broker{100};
  HistoryPages pages = broker.pages("", false);
  CHECK(pages.next()->size() == 100);
  broker.rows = 150;
  CHECK(pages.next()->size() == 50);  // where it ends is asked behind the first page
  broker.rows = 200;
  CHECK(pages.next()->empty());
}

TEST_CASE("the beginning of a cluster's name means the cluster where history has no such name") {
  const auto pages_of = [](const char* typed, const Json& clusters) {
    Request request = request_for("history");
    request.cluster_like = typed;
    return HistoryPages(request, [clusters](const Request& asked) -> Result<Json> {
      if (asked.command == "clusters") return clusters;
      if (asked.cluster_like == "west" && !asked.after) return Json::array({{{"id", 7}}});
      if (asked.cluster_like == "west") return Json::array();
      return fail(ErrorCode::unknown, "there is no cluster '" + asked.cluster_like + "'");
    });
  };
  HistoryPages west = pages_of("we", Json::array({{{"cluster", "west"}}}));
  CHECK((*west.next())[0]["id"] == 7);
  CHECK(west.next()->empty());
  CHECK_FALSE(pages_of("e", Json::array()).next());  // several begin so, or none
}
