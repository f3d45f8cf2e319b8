// Keys and switches of a plan that no policy of their branch knows are refused, with their line.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/config/load.hpp"

using namespace leasehold;

namespace {

std::string group(const std::string& policy, const std::string& more = "") {
  return "[[resource_group]]\nname = \"g\"\npolicy = \"" + policy + "\"\n" + more;
}

std::string consumer(const std::string& path, const std::string& more) {
  return "[[consumer]]\npath = \"" + path + "\"\n" + more;
}

std::string window_text(const std::string& from, const std::string& to, const std::string& more) {
  return "[[consumer.window]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
}

/// Returns "7: what is wrong | 9: …".
std::string errors_of(const std::string& text) {
  const Loaded loaded = parse_broker_config(text, "p.toml");
  std::string found;
  for (const Error& error : loaded.errors) {
    found += (found.empty() ? "" : " | ") + std::to_string(error.line) + ": " + error.message;
  }
  return found;
}

}  // namespace

TEST_CASE("reserved under ownership is refused with its line, and what keeps slots there") {
  CHECK(errors_of(group("ownership") + consumer("/a", "owned = 5\nreserved = 2\n")) ==
        "7: /a: 'reserved' is a key of hybrid, but its branch /a has policy ownership; leave it "
        "out: under ownership all that 'lend_limit' does not offer is kept for its owner");
}

TEST_CASE("a key that the policy of its branch does not know is refused with its line") {
  const std::string all[] = {"owned = 5",         "reserved = 3",     "lend_limit = 2",
                             "lend_to = [\"*\"]", "borrow_limit = 2", "borrow_from = [\"*\"]",
                             "share_ratio = 2",   "share_limit = 4"};
  const std::vector<std::pair<std::string, std::vector<size_t>>> known = {
      {"hybrid", {0, 1}}, {"ownership", {0, 2, 3, 4, 5, 6, 7}}, {"share-ratio", {6, 7}}};
  for (const auto& [policy, keys] : known) {
    for (size_t i = 0; i < std::size(all); ++i) {
      const bool knows = std::find(keys.begin(), keys.end(), i) != keys.end();
      const std::string key = all[i].substr(0, all[i].find(' '));
      const std::string found = errors_of(group(policy) + consumer("/a/b", all[i] + "\n"));
      INFO(policy << " " << key << ": " << found);
      CHECK(found.empty() == knows);
      if (!knows) CHECK(found.find("6: /a/b: '" + key + "' is a key of ") == 0);
      if (!knows) CHECK(found.find("its branch /a has policy " + policy) != std::string::npos);
    }
  }
}

TEST_CASE("a number that says nothing is let pass under every policy") {
  const std::string nothing =
      "owned = 0\nreserved = 0\nlend_limit = 0\nborrow_limit = 0\nshare_ratio = 1\n";
  for (const char* policy : {"hybrid", "ownership", "share-ratio"}) {
    CHECK(errors_of(group(policy) + consumer("/a", nothing)).empty());
  }
}

TEST_CASE("where windows change the policy, a key may be of any that the branch has then") {
  const std::string day = window_text("08:00", "17:00", "policy = \"ownership\"\n");
  // Its own numbers count all day, so they may be those of either policy.
  CHECK(
      errors_of(group("hybrid") + consumer("/a", "owned = 5\nreserved = 2\nlend_limit = 1\n" + day))
          .empty());
  CHECK(errors_of(group("hybrid") + consumer("/a", "owned = 5\nshare_limit = 1\n" + day)).empty());
  // Numbers of a window count for its time only.
  CHECK(errors_of(group("hybrid") + consumer("/a", "owned = 5\n" + day + "lend_limit = 1\n"))
            .empty());
  CHECK(errors_of(group("hybrid") + consumer("/a", "owned = 5\n" + day + "reserved = 1\n")) ==
        "11: /a: 'reserved' is a key of hybrid, but its branch /a has policy ownership; leave it "
        "out: under ownership all that 'lend_limit' does not offer is kept for its owner");
  // A child's window may overlap the branch's.
  const std::string child =
      consumer("/a/b", "owned = 5\n" + window_text("07:00", "09:00", "reserved = 1\n"));
  CHECK(errors_of(group("hybrid") + consumer("/a", day) + child).empty());
  const std::string inside =
      consumer("/a/b", "owned = 5\n" + window_text("08:00", "09:00", "reserved = 1\n"));
  CHECK(errors_of(group("hybrid") + consumer("/a", day) + inside).find("16: /a/b: 'reserved'") ==
        0);
}

TEST_CASE("a switch that no policy of the group knows is refused with its line") {
  struct Row {
    const char* line;
    const char* policies;  // the policies that know it
  };
  const Row rows[] = {{"reclaim_before_borrow = true", "ownership"},
                      {"siblings_only = true", "ownership"},
                      {"reclaim_shared = false", "ownership share-ratio"},
                      {"share_enforcement = \"parent\"", "share-ratio"},
                      {"evenly_distribute = true", "hybrid"},
                      {"disable_reclaim_hybrid_own = true", "hybrid"}};
  for (const Row& row : rows) {
    for (const char* policy : {"hybrid", "ownership", "share-ratio"}) {
      const std::string found =
          errors_of(group(policy, std::string(row.line) + "\n") + consumer("/a", ""));
      INFO(policy << " " << row.line << ": " << found);
      const bool knows = std::string(row.policies).find(policy) != std::string::npos;
      CHECK(found.empty() == knows);
      if (!knows) CHECK(found.find("4: ") == 0);
      CHECK(found.find(" | ") == std::string::npos);
    }
  }
  // One branch that knows it is enough; without consumers the group's own policy counts.
  CHECK(errors_of(group("hybrid", "siblings_only = true\n") + consumer("/a", "") +
                  consumer("/b", "policy = \"ownership\"\n"))
            .empty());
  CHECK(errors_of(group("hybrid", "siblings_only = true\n")).find("4: 'siblings_only'") == 0);
  // The default has no effect.
  CHECK(errors_of(group("ownership", "share_enforcement = \"leaf\"\nevenly_distribute = false\n"))
            .empty());
}
