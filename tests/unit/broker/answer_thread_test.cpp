// AnswerThread, the thread that answers are made on.
#include "broker/ports/operators/answer_thread.hpp"

#include <poll.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <future>

#include "tests/support/last_bound.hpp"

using namespace leasehold;

namespace {

/// Waits for `wanted` answers.
std::vector<AnswerThread::Answer> wait_for(AnswerThread& thread, size_t wanted) {
  std::vector<AnswerThread::Answer> all;
  while (all.size() < wanted) {
    pollfd ready{thread.fd(), POLLIN, 0};
    REQUIRE(::poll(&ready, 1, static_cast<int>(test::kLastBoundMs)) == 1);
    for (AnswerThread::Answer& each : thread.collect()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

TEST_CASE("answers come in the order of the questions, and what is too many is refused") {
  AnswerThread thread({2});
  std::promise<void> go;
  std::promise<void> begun;
  REQUIRE(thread.ask(1, [&] {
    begun.set_value();
    go.get_future().wait();
    return std::string("one");
  }));
  begun.get_future().wait();
  CHECK(thread.ask(2, [] { return std::string("two"); }));
  CHECK(thread.ask(3, [] { return std::string("three"); }));
  CHECK_FALSE(thread.ask(4, [] { return std::string("four"); }));
  go.set_value();
  const auto answers = wait_for(thread, 3);
  CHECK(answers[0].text == "one");
  CHECK(answers[1].ticket == 2);
  CHECK(answers[2].text == "three");
}

TEST_CASE("parts of an answer are there before it is ended") {
  AnswerThread thread({2});
  std::promise<void> go;
  REQUIRE(thread.ask(1, [&] {
    thread.tell(1, "part");
    go.get_future().wait();
    return std::string("rest");
  }));
  const auto part = wait_for(thread, 1);
  CHECK(part[0].text == "part");
  CHECK_FALSE(part[0].last);
  go.set_value();
  const auto rest = wait_for(thread, 1);
  CHECK(rest[0].ticket == 1);
  CHECK(rest[0].text == "rest");
  CHECK(rest[0].last);
}

TEST_CASE("what is done meanwhile is done once woken, and no question waits for its turn") {
  std::atomic<int> done{0};
  std::promise<void> first;
  AnswerThread thread({8,
                       [&] {
                         if (++done == 1) first.set_value();
                       },
                       3'600'000});
  thread.wake();
  first.get_future().wait();
  thread.wake();  // the next turn is an hour away
  REQUIRE(thread.ask(1, [] { return std::string("now"); }));
  CHECK(wait_for(thread, 1)[0].text == "now");
  CHECK(done == 1);
}

TEST_CASE("a thread that has ended takes nothing more") {
  AnswerThread thread({8});
  thread.end();
  CHECK_FALSE(thread.ask(1, [] { return std::string(); }));
}
