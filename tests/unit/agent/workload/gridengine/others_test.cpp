// These tests show whose hosts a cell's are, and what a site's own files may not hide.
#include <catch2/catch.hpp>
#include <fstream>

#include "agent/workload/gridengine/defaults.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {

using test::Played;

TEST_CASE("Grid Engine: own hosts whose names the rule could have made are not closed, and named") {
  Played played({"node-1", "node-2"});
  for (const char* rule : {"node-{host}", "{cluster}-{host}", "{host}"}) {
    INFO(rule);
    played.adapter.names.rule = rule;
    REQUIRE_FALSE(played.opened());
    CHECK(played.opened().error().code == ErrorCode::usage);
  }
  played.adapter.names.rule = "node-{host}";
  CHECK(played.opened().error().message.find("node-1, node-2") != std::string::npos);
  CHECK(played.cell.calls.empty());
}

TEST_CASE("Grid Engine: what was closed as another's is given back when the names call it own") {
  Played played;
  played.adapter.names.map = {{"far@west", "imp-far"}};
  const bool own_entry = GENERATE(false, true);
  if (own_entry) {
    played.cell.entries["imp-far"] = 6;
  } else {
    played.cell.entries.erase("imp-far");
  }
  played.open();
  CHECK(played.cell.entries.at("imp-far") == 0);
  CHECK(played.workload->leave()->front().find("imp-far has 0 slots") != std::string::npos);
  played.adapter.names = {"lent-{host}", {}};
  Workload& workload = played.open();
  const View view = workload.read({}).value();
  REQUIRE(view.hosts.size() == 3);
  CHECK(view.hosts[2].slots == (own_entry ? 6 : 8));
  REQUIRE(view.caps.size() == 1);
  REQUIRE(workload.enforce(std::vector<HostCap>{{"imp-far", false, 8, 8, 0, 0, {}, 0}}));
  CHECK(played.cell.slots_of("imp-far") == (own_entry ? 6 : 8));
  CHECK(played.cell.entries.contains("imp-far") == own_entry);
  CHECK(workload.read({})->caps.empty());
}

TEST_CASE("Options of a site's file that hide hosts or jobs fail the look, with the file's name") {
  for (const char* harmless : {"", "-s r\n", "# -q x\n-u *\n-ext", "-f -r\n-s p"}) {
    INFO(harmless);
    CHECK(default_that_hides("qstat", harmless).empty());
  }
  CHECK(default_that_hides("qstat", "-s r\n-l arch=x\n") == "-l");
  for (const char* hides : {"-q", "-qs", "-ne", "-g", "-t", "-cb"}) {
    CHECK(default_that_hides("qstat", hides) == hides);
  }
  Played played;
  played.settings.root = played.folder.file("sge");
  played.open();
  CHECK(played.look().hosts.size() == 2);
  std::filesystem::create_directories(played.folder.file("sge/east/common"));
  std::ofstream(played.folder.file("sge/east/common/sge_qstat")) << "-ne\n";
  const auto view = played.workload->read({});
  REQUIRE_FALSE(view);
  CHECK(view.error().message.find("sge_qstat gives qstat the option -ne") != std::string::npos);
  // Symptom: a file for qhost was not looked at, and hosts that it left out were unknown ones.
  std::filesystem::remove(played.folder.file("sge/east/common/sge_qstat"));
  std::ofstream(played.folder.file("sge/east/common/sge_qhost")) << "-j -q\n";
  CHECK(played.workload->read({}));
  std::ofstream(played.folder.file("sge/east/common/sge_qhost")) << "-l arch=x\n";
  const auto hidden = played.workload->read({});
  REQUIRE_FALSE(hidden);
  CHECK(hidden.error().message.find("sge_qhost gives qhost the option -l") != std::string::npos);
}

TEST_CASE("Notes about another cell are not used for this one") {
  Played played;
  REQUIRE(played.open()
              .enforce(std::vector<HostCap>{{"big1", false, 5, 2, 0, 0, {{7, 0, 3, 6}}, 0}})
              .has_value());
  played.settings.cell = "north";
  const auto other = played.opened();
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().message.find("is about east/all.q@/sge") != std::string::npos);
}

}  // namespace leasehold::agent
