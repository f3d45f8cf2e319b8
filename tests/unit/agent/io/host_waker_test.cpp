// Which tries to wake hosts are kept on disk, and what follows when they cannot be.
#include "agent/io/agent/host_waker.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

/// Four slots of p1 are exported; all of them are lent.
Book lent_book() {
  wire::Configuration configuration;
  configuration.number = 1;
  configuration.groups = {group_of(8, "west", {"p1"})};
  configuration.groups[0].role = wire::Role::provider;
  GroupLimits limits;
  limits.generation = 8;
  limits.hosts.resize(1);
  limits.hosts[0].exported = 4;
  Book book(HostNames{});
  book.restore(configuration, {limits}, {});
  return book;
}

struct Waker {
  Waker() {
    auto opened = StateFile::open(path);
    REQUIRE(opened);
    state.emplace(*std::move(opened));
    waker.emplace(work, *state);
    wire::HostFacts host;
    host.name = "p1";
    host.slots = 4;
    host.up = false;
    host.not_up = wire::NotUp::asleep;
    work.own = {host};
  }
  void hear_wake() {
    wire::HeartbeatAnswer answer{1, ++number, false};
    answer.wake = Ids{"p1"};
    waker->hosts().take_answer(answer);
  }
  void mind() {
    const Result<View> view = work.read({});
    REQUIRE(view);
    waker->mind(book, *view, 1'000);
  }
  void change(const std::string& sql) const {
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
  }

  Scratch folder;
  std::string path = folder.file("agent.db");
  PlayedWork work;
  std::optional<StateFile> state;
  std::optional<HostWaker> waker;
  Book book = lent_book();
  uint64_t number = 0;
};

TEST_CASE("a host that was woken and lent was tried in vain for an agent that started again") {
  Waker site;
  site.hear_wake();
  site.mind();
  REQUIRE(site.work.woken == Ids{"p1"});
  REQUIRE(site.state->load()->wakes.size() == 1);
  site.work.own[0].up = true;
  site.mind();
  CHECK(site.state->load()->wakes.empty());
}

TEST_CASE("hosts to be woken were tried at each look while no try could be kept on disk") {
  Waker site;
  site.change("alter table woken_host rename to away");
  site.hear_wake();
  site.mind();
  CHECK(site.work.woken.empty());
  site.change("alter table away rename to woken_host");
  site.mind();
  CHECK(site.work.woken.empty());
  site.hear_wake();
  site.mind();
  CHECK(site.work.woken == Ids{"p1"});
}

}  // namespace
}  // namespace leasehold::agent
