// Stream: what the readers of a stream are sent, and when.
#include "broker/ports/http/answers/stream.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

Notice notice_of(int64_t event) {
  Notice notice;
  notice.turn = 1;
  notice.event = event;
  auto in_force = std::make_shared<InForce>();
  in_force->name = "campus";
  notice.in_force = in_force;
  return notice;
}

/// How often the text holds the word.
size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a stream begins with the broker and the state as it is") {
  Stream stream("");
  const std::string text = stream.next(notice_of(7), {}, 1'000);
  CHECK_THAT(text, Catch::StartsWith("retry: 2000\nevent: broker\ndata: {\"name\":\"campus\""));
  CHECK_THAT(text, Catch::Contains("event: state\nid: 7\ndata: {\"event\":7,"));
  CHECK(stream.next(notice_of(7), {}, 1'001).empty());
}

TEST_CASE("a reader that has the present event hears of the next one alone") {
  Stream stream("7");
  CHECK(count_of(stream.next(notice_of(7), {}, 1'000), "event: state") == 0);
  CHECK(stream.next(notice_of(7), {}, 2'000).empty());
  CHECK_THAT(stream.next(notice_of(8), {}, 3'000), Catch::Contains("id: 8\n"));
  for (const char* odd : {"x", "7x", "99999999999999999999", "-"}) {
    INFO(odd);
    CHECK(count_of(Stream(odd).next(notice_of(7), {}, 1'000), "id: 7\n") == 1);
  }
}

// Symptom: the page showed a site that moved, and nothing asked it to look again.
TEST_CASE("that nobody leads is told with the broker, once, and that somebody does again") {
  Stream stream("");
  CHECK_THAT(stream.next(notice_of(7), {}, 1'000), Catch::Contains("\"nobody_leads\":null"));
  Notice notice = notice_of(7);
  notice.leader_view.nobody = NobodyLeads{{}, "it is silent", "an answer would help", true};
  CHECK(stream.next_ms(notice) == 1'500);
  CHECK(stream.next(notice, {}, 1'499).empty());
  const std::string text = stream.next(notice, {}, 1'500);
  CHECK(count_of(text, "event: ") == 1);
  CHECK_THAT(text, Catch::Contains("\"why\":\"it is silent\""));
  CHECK(stream.next(notice, {}, 2'000).empty());
  CHECK_THAT(stream.next(notice_of(7), {}, 2'500), Catch::Contains("\"nobody_leads\":null"));
}

TEST_CASE("of a flood of events a reader hears twice a second, and of the newest at last") {
  Stream stream("");
  std::string all;
  for (int64_t ms = 0; ms < 10'000; ++ms) all += stream.next(notice_of(ms / 2), {}, ms);
  CHECK(count_of(all, "event: state") == 20);
  CHECK(stream.next_ms(notice_of(5'000)) == 10'000);
  CHECK_THAT(stream.next(notice_of(5'000), {}, 10'000), Catch::Contains("id: 5000\n"));
}

TEST_CASE("where nothing changes a comment tells that the stream stands") {
  Stream stream("");
  stream.next(notice_of(7), {}, 1'000);
  CHECK(stream.next_ms(notice_of(7)) == 1'000 + Stream::kHeartbeat_ms);
  CHECK(stream.next(notice_of(7), {}, 15'999).empty());
  CHECK(stream.next(notice_of(7), {}, 16'000) == ": nothing new\n\n");
}
