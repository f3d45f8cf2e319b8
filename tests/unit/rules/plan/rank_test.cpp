// Ranks are compared (broker/rules/plan/README.md, "Order") across branches under ownership, and in
// reclaim and lost slots under share ratio; among siblings elsewhere.
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

TEST_CASE("ownership lends to the highest rank first, in whichever branch it is") {
  // /X comes first in the tree, /Y/b by its rank.
  const std::vector<std::string> branches{"/L owned=5 lend_limit=5", "/X rank=0",
                                          "/X/a rank=2 demand=9 borrow_from=*", "/Y rank=5",
                                          "/Y/b rank=1 demand=3 borrow_from=*"};
  CHECK(PlanFixture("ownership slots=5", branches).moves() == "idle>/Y/b 3, idle>/X/a 2");
}

TEST_CASE("a leaf without a rank has its nearest ancestor's that has one, else the default") {
  const auto first = [](const std::string& group, const std::string& a, const std::string& b) {
    return PlanFixture("ownership slots=5 " + group,
                       {"/L owned=5 lend_limit=5", "/X " + a, "/X/m",
                        "/X/m/a demand=9 borrow_from=*", "/Y " + b, "/Y/b demand=9 borrow_from=*"})
        .moves();
  };
  CHECK(first("", "rank=3", "rank=2") == "idle>/Y/b 5");
  CHECK(first("", "rank=2", "rank=3") == "idle>/X/m/a 5");
  CHECK(first("default_rank=4", "", "rank=3") == "idle>/Y/b 5");
  CHECK(first("default_rank=2", "", "rank=3") == "idle>/X/m/a 5");
  CHECK(first("default_rank=3", "", "rank=3") == "idle>/X/m/a 5");  // equal: as in the tree
  CHECK(first("", "rank=0", "rank=0") == "idle>/X/m/a 5");
}

TEST_CASE("equal ranks go in the tree's order, in which siblings stand by rank") {
  const PlanFixture scene("ownership slots=5", {"/L owned=5 lend_limit=5", "/X rank=2",
                                                "/X/a rank=7 demand=9 borrow_from=*", "/Y rank=1",
                                                "/Y/b rank=7 demand=9 borrow_from=*"});
  CHECK(scene.moves() == "idle>/Y/b 5");
}

TEST_CASE("an owner takes back from rank 50 before rank 25, in whichever branch they are") {
  const PlanFixture scene("ownership slots=10",
                          {"/L owned=10 lend_limit=10 demand=7", "/P rank=0",
                           "/P/a rank=50 demand=5 allocated=5 borrow_from=* loan=/L:5", "/Q rank=9",
                           "/Q/b rank=25 demand=5 allocated=5 borrow_from=* loan=/L:5"});
  CHECK(scene.moves() == "/P/a>/L 5, /Q/b>/L 2");
}

TEST_CASE("what nobody owns is given back from rank 50 before rank 25") {
  const std::vector<std::string> holders{"/P rank=0", "/P/a rank=50 demand=5 allocated=5 shared=5",
                                         "/Q rank=9", "/Q/b rank=25 demand=5 allocated=5 shared=5",
                                         "/R rank=1", "/R/c rank=1 demand=4"};
  // Deserved: 4, 3 and 3: /R/c takes what each has above it, of idle slots there are none.
  CHECK(PlanFixture("ownership slots=10", holders).moves() == "/P/a>/R/c 1, /Q/b>/R/c 2");
  // Lost: borrowed first, then shared, from the lowest rank on.
  const std::vector<std::string> lost{"/P rank=0", "/P/a rank=50 allocated=5 shared=5", "/Q rank=9",
                                      "/Q/b rank=25 allocated=5 shared=5"};
  CHECK(PlanFixture("ownership slots=10", lost, 8).moves() == "/P/a>nobody 2");
}

TEST_CASE("a parent above its limit takes from the lowest rank below it") {
  const PlanFixture scene("ownership slots=10",
                          {"/P limit=4", "/P/X rank=0", "/P/X/a rank=50 allocated=3 shared=3",
                           "/P/Y rank=1", "/P/Y/b rank=25 allocated=3 shared=3"});
  CHECK(scene.moves() == "/P/X/a>nobody 2");
}

TEST_CASE("share ratio reclaims from rank 50 before rank 25, in whichever branch they are") {
  const std::vector<std::string> unwanted{"/P rank=0", "/P/a rank=50 allocated=5", "/Q rank=1",
                                          "/Q/b rank=25 allocated=5", "/R/c demand=2"};
  CHECK(PlanFixture("share-ratio slots=10", unwanted).moves() == "/P/a>/R/c 2");
  // Lost slots likewise.
  CHECK(PlanFixture("share-ratio slots=10", unwanted, 8).moves() == "/P/a>/R/c 2, /P/a>nobody 2");
}

TEST_CASE("share ratio hands idle slots out by the tree, and reclaims for the highest rank first") {
  const PlanFixture scene("share-ratio slots=10",
                          {"/P rank=0", "/P/a rank=50 demand=5", "/Q rank=1",
                           "/Q/b rank=25 demand=5", "/R/c rank=99 allocated=7"});
  CHECK(scene.moves() == "idle>/P/a 3, /R/c>/Q/b 5, /R/c>/P/a 2");
}

TEST_CASE("share ratio enforces the limit of a branch by the tree") {
  const PlanFixture scene("share-ratio slots=10",
                          {"/P limit=3", "/P/X rank=0", "/P/X/a rank=50 allocated=3", "/P/Y rank=1",
                           "/P/Y/b rank=25 allocated=3"});
  CHECK(scene.moves() == "/P/Y/b>nobody 3");
}

TEST_CASE("between branches by their shares, within one by leaves: the lowest rank of both first") {
  const auto moves = [](int own, int other) {
    return PlanFixture("share-ratio slots=20 share_enforcement=parent",
                       {"/P", "/P/a rank=0 demand=8",
                        "/P/b rank=" + std::to_string(own) + " demand=2 allocated=8", "/Q",
                        "/Q/c rank=" + std::to_string(other) + " demand=10 allocated=12"})
        .moves();
  };
  CHECK(moves(10, 50) == "/Q/c>/P/a 2, /P/b>/P/a 6");
  CHECK(moves(50, 10) == "/P/b>/P/a 6, /Q/c>/P/a 2");
  // A branch that has just its share gives nothing to others, and of one below it nothing is to be
  // had.
  CHECK(PlanFixture("share-ratio slots=20 share_enforcement=parent",
                    {"/P", "/P/a demand=8", "/P/b rank=10 demand=2 allocated=10", "/Q",
                     "/Q/c rank=50 demand=10 allocated=10"})
            .moves() == "/P/b>/P/a 8");
  CHECK(PlanFixture("share-ratio slots=20 share_enforcement=parent",
                    {"/P", "/P/a demand=8 allocated=2", "/P/b rank=10 demand=2 allocated=2", "/Q",
                     "/Q/c rank=50 demand=10 allocated=16"})
            .moves() == "/Q/c>/P/a 6");
}

TEST_CASE("hybrid compares the ranks of siblings alone") {
  const PlanFixture scene("hybrid slots=10", {"/P rank=0", "/P/a rank=50 allocated=5", "/Q rank=1",
                                              "/Q/b rank=25 allocated=5", "/R/c rank=0 demand=2"});
  CHECK(scene.moves() == "/Q/b>/R/c 2");
}

TEST_CASE("moves stand by rank where no branch is hybrid, else by the tree") {
  const std::vector<std::string> owners{
      "/O policy=ownership rank=0", "/O/a rank=5 owned=3 demand=3", "/N policy=ownership rank=2",
      "/N/b rank=1 owned=3 demand=3"};
  CHECK(PlanFixture("ownership slots=6", owners).moves() == "idle>/N/b 3, idle>/O/a 3");
  std::vector<std::string> mixed = owners;
  mixed.emplace_back("/H owned=4");
  CHECK(PlanFixture("hybrid slots=10", mixed).moves() == "idle>/O/a 3, idle>/N/b 3");
}
