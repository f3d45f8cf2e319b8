// Which questions by HTTP have the same answer.
#include "broker/ports/http/answers/making.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

std::string key_of(RouteKind kind, uint64_t turn, uint64_t liveness_turn) {
  Inquiry inquiry;
  inquiry.route.kind = kind;
  inquiry.notice.turn = turn;
  inquiry.notice.liveness_turn = liveness_turn;
  return text_of(inquiry);
}

}  // namespace

TEST_CASE("readyz said ok for a second after a failure: its answer is of one turn") {
  CHECK(key_of(RouteKind::readyz, 7, 5) == key_of(RouteKind::readyz, 7, 6));
  CHECK(key_of(RouteKind::readyz, 7, 5) != key_of(RouteKind::readyz, 8, 5));
}

TEST_CASE("what tells of agents is as old as the loop's word of them, all else is not") {
  CHECK(key_of(RouteKind::metrics, 7, 5) == key_of(RouteKind::metrics, 8, 5));
  CHECK(key_of(RouteKind::metrics, 7, 5) != key_of(RouteKind::metrics, 7, 6));
  CHECK(key_of(RouteKind::about, 7, 5) == key_of(RouteKind::about, 8, 6));
}
