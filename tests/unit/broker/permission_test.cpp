// Roles of operators: every role with every command.
#include "broker/ports/operators/permission.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

const Asker kReader{"desk", Role::read, ""};
const Asker kAdmin{"ana", Role::admin, ""};
const Asker kBranch{"gen", Role::branch_admin, "/research/genomics"};

constexpr const char* kQuestions[] = {"clusters", "leases",  "lease",  "hosts",
                                      "policies", "explain", "history"};
constexpr const char* kChanges[] = {"rebalance", "drain", "resume", "close",  "open",
                                    "freeze",    "thaw",  "forget", "reload", "stepdown"};

}  // namespace

TEST_CASE("everybody may ask, only an admin may change") {
  for (const char* question : kQuestions) {
    INFO(question);
    CHECK(kind_of(question) == Kind::question);
    for (const Asker& asker : {kReader, kAdmin, kBranch}) CHECK_FALSE(forbidden(asker, question));
  }
  // The answer is all that the broker knows, reports and keys of operators among it.
  CHECK(kind_of("backup") == Kind::question);
  CHECK_FALSE(forbidden(kAdmin, "backup"));
  CHECK((forbidden(kReader, "backup") && forbidden(kBranch, "backup")));
  for (const char* change : kChanges) {
    INFO(change);
    CHECK(kind_of(change) == Kind::change);
    CHECK_FALSE(forbidden(kAdmin, change));
    CHECK_FALSE(forbidden(local_asker("bob"), change));
    for (const Asker& asker : {kReader, kBranch}) {
      const auto refused = forbidden(asker, change);
      REQUIRE(refused);
      CHECK(refused->code == ErrorCode::refused);
      CHECK_THAT(refused->message, Catch::Contains("'" + asker.name + "'") &&
                                       Catch::Contains("role " + role_text(asker)) &&
                                       Catch::Contains("'" + std::string(change) + "'"));
    }
  }
  for (const char* none : {"", "dance", "RELOAD"}) {
    CHECK(kind_of(none) == Kind::unknown);
    CHECK_FALSE(forbidden(kReader, none));  // the port answers that it is unknown
  }
}

TEST_CASE("a branch admin is told which branch, and of no rights that every change is refused") {
  CHECK(forbidden(kBranch, "freeze")->message ==
        "operator 'gen' has the role admin:/research/genomics, which may only ask: 'freeze' needs "
        "the role admin");
}

TEST_CASE("an operator is known by each of its keys, and by nothing else") {
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  const std::string c(40, 'c');
  const Operators operators(
      {{"ana", {a, b}, Role::admin, "", {}}, {"desk", {c}, Role::read, "", {}}});
  CHECK(operators.who(a)->name == "ana");
  CHECK(operators.who(b)->name == "ana");
  CHECK(operators.who(b)->role == Role::admin);
  CHECK(operators.who(c)->role == Role::read);
  CHECK_FALSE(operators.who(std::string(40, 'd')));
  CHECK_FALSE(operators.who(""));
  CHECK(operators.keys() == std::unordered_set<std::string>{a, b, c});
}

TEST_CASE("who asks at a plain endpoint can pass for no operator") {
  CHECK(local_asker("ana").name == "local:ana");
  CHECK(local_asker("").name == "local");
  CHECK(local_asker("SIGHUP").name == "local:SIGHUP");
  CHECK(local_asker("a\nb\x1b[31m").name == "local:a?b?[31m");
  CHECK(local_asker(std::string(500, 'x')).name.size() == 70);
  CHECK(local_asker("ana").role == Role::admin);
}

}  // namespace leasehold
