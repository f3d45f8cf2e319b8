// Files that adapters keep, forged or damaged: an error names the file, what is wrong in it and
// what to do. None of them ends the agent.
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "agent/core/limits/book_use.hpp"
#include "agent/workload/gridengine/notes.hpp"
#include "agent/workload/lsf/slots.hpp"
#include "agent/workload/simulated/jobs_file.hpp"
#include "agent/workload/simulated/simulated.hpp"
#include "agent/workload/slurm/fence/kept_names.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "tests/support/pipes.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

/// One kind of file, with a good one of it.
struct Kind {
  const char* name;
  const char* good;
  Status (*open)(const std::string& path);
};

template <class T>
Status status_of(const Result<T>& result) {
  if (result) return {};
  return tl::unexpected(result.error());
}

Status open_journal(const std::string& path) {
  const Result<CapJournal> journal = CapJournal::open(path);
  if (!journal) return tl::unexpected(journal.error());
  Book book(HostNames{});
  book.adopt_fences(journal->caps());
  const std::vector<wire::HostFacts> own{facts("p1", 8)};
  for (const HostCap& cap : caps_of(book, own)) CHECK(cap.slots >= 0);
  return {};
}
Status open_owners(const std::string& path) {
  return status_of(HostOwners::open({"imp-{host}", {}}, path, false));
}
Status open_names(const std::string& path) {
  return status_of(KeptNames::open(path));
}
Status open_notes(const std::string& path) {
  return status_of(GridEngineNotes::open(path, "default all.q", false));
}
Status open_slots(const std::string& path) {
  return status_of(LsfSlots::open(path, false));
}

const Kind kKinds[] = {
    {"journal",
     R"({"version":1,"caps":[{"host":"p1","imported":false,"slots":5,"own":2,"mem_mb":0,)"
     R"("swap_mb":0,"grace_ms":0,"parts":[[7,0,3,6]]}]})",
     open_journal},
    {"owners", R"({"version":1,"slots_before":{"imp-q1":4}})", open_owners},
    {"names", "p1\np2\n", open_names},
    {"notes",
     R"({"version":1,"of":"default all.q","originals":{"p1":{"slots":8,"own_entry":true}},)"
     R"("ending":[{"job":"3","host":"p1","slots":1,"started_ms":1,"until_ms":2,"lasts_ms":3}],)"
     R"("boot":"b","stopped":["4"]})",
     open_notes},
    {"slots", R"({"version":1,"hosts":[{"host":"p1","slots":8}]})", open_slots},
};

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const size_t at = text.find(part);
  REQUIRE(at != text.npos);
  return text.replace(at, part.size(), by);
}

struct DamageRow {
  size_t kind;
  const char* part;
  const char* by;
  const char* message;
};

const DamageRow kRows[] = {
    {0, "[7,0,3,6]", "[7,4294967295,3,6]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[7,4000000,3,6]", "parts"},
    {0, "[7,0,3,6]", "[7,-1,3,6]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[-7,0,3,6]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[7,0,-3,6]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[7,0,3,1e300]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[7,0,3]", "caps[0].parts"},
    {0, "[7,0,3,6]", "[7,0,3,6],[8,0,1000000000,0],[9,0,1000000000,0]", "add up"},
    {0, "[7,0,3,6]", "[7,0,3,6],[7,0,3,6]", "twice"},
    {0, "\"slots\":5", "\"slots\":-5", "caps[0].slots"},
    {0, "\"slots\":5", "\"slots\":1e300", "caps[0].slots"},
    {0, "\"slots\":5", "\"slots\":4294967301", "caps[0].slots"},
    {0, "\"own\":2", "\"own\":-2", "caps[0].own"},
    {0, "\"mem_mb\":0", "\"mem_mb\":9223372036854775807", "caps[0].mem_mb"},
    {0, "\"grace_ms\":0", "\"grace_ms\":-1", "caps[0].grace_ms"},
    {0, "\"host\":\"p1\"", "\"host\":\"\"", "caps[0].host"},
    {0, "\"host\":\"p1\"", "\"host\":\"p\\u0007\"", "caps[0].host"},
    {0, "\"host\":\"p1\"", "\"host\":\"p\xff\"", "JSON"},
    {0, "{\"version\"", "[{\"version\"", "JSON"},
    {1, "\"imp-q1\":4", "\"imp-q1\":-4", "slots_before"},
    {1, "\"imp-q1\":4", "\"imp-q1\":4294967300", "slots_before"},
    {1, "\"imp-q1\":4", "\"imp-q1\":4,\"imp-q1\":5", "twice"},
    {1, "\"imp-q1\":4", "\"\":4", "slots_before"},
    {1, "\"imp-q1\":4", "\"a\xff\":4", "JSON"},
    {2, "p2", "p2 p3", "line 2"},
    {2, "p2", "p[1-9999]", "line 2"},
    {2, "p2", "p1,p3", "line 2"},
    {2, "p2", "p\xff", "line 2"},
    {2, "p2", "p\r", "line 2"},
    {3, "\"slots\":8", "\"slots\":-8", "originals"},
    {3, "\"slots\":1", "\"slots\":1e300", "ending[0].slots"},
    {3, "\"until_ms\":2", "\"until_ms\":-9223372036854775808", "ending[0].until_ms"},
    {3, "\"lasts_ms\":3", "\"lasts_ms\":-1", "ending[0].lasts_ms"},
    {3, "\"stopped\":[\"4\"]", "\"stopped\":[4]", "stopped"},
    {4, "\"slots\":8", "\"slots\":-8", "hosts[0].slots"},
};

TEST_CASE("a number or a name in a kept file that cannot be right ended the agent") {
  for (const DamageRow& row : kRows) {
    const Kind& kind = kKinds[row.kind];
    INFO(kind.name << ": " << row.by);
    const Scratch folder;
    const std::string path = folder.file("file");
    write(path, kind.good);
    REQUIRE(kind.open(path));
    write(path, replaced(kind.good, row.part, row.by));
    const Status opened = kind.open(path);
    REQUIRE_FALSE(opened);
    CHECK_THAT(describe(opened.error()),
               Catch::Contains(path) && Catch::Contains(row.message) &&
                   (Catch::Contains("remove it") || Catch::Contains("take the line out")));
  }
}

TEST_CASE("what lies in the place of a kept file and is none is refused at once") {
  const Kind& kind = kKinds[GENERATE(0, 1, 2, 3, 4)];
  INFO(kind.name);
  const Scratch folder;
  const auto refused = [&](const std::string& path) {
    const Status opened = kind.open(path);
    REQUIRE_FALSE(opened);
    return describe(opened.error());
  };
  CHECK_THAT(refused(leasehold::test::make_pipe(folder.file("pipe"))),
             Catch::Contains("is a pipe"));
  std::filesystem::create_directory(folder.file("folder"));
  CHECK_THAT(refused(folder.file("folder")), Catch::Contains("is a folder"));
  std::filesystem::create_symlink("circle", folder.file("circle"));
  CHECK_THAT(refused(folder.file("circle")), Catch::Contains("cannot be read"));
  CHECK_THAT(refused(folder.file(std::string(5'000, 'x'))), Catch::Contains("cannot be read"));
  write(folder.file("large"), "");
  REQUIRE(::truncate(folder.file("large").c_str(), off_t{1} << 30) == 0);
  CHECK_THAT(refused(folder.file("large")), Catch::Contains("is larger than"));
  CHECK(kind.open(folder.file("none")));
}

TEST_CASE("bytes that were turned over in a kept file end nothing") {
  const Kind& kind = kKinds[GENERATE(0, 1, 2, 3, 4)];
  INFO(kind.name);
  const Scratch folder;
  const std::string path = folder.file("file");
  std::mt19937 random(20'261'128);
  for (int trial = 0; trial < 400; ++trial) {
    std::string bytes = kind.good;
    const auto flips = 1 + random() % 3;
    for (size_t i = 0; i < flips; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    write(path, bytes);
    if (const Status opened = kind.open(path); !opened) {
      CHECK_THAT(describe(opened.error()), Catch::Contains(path));
    }
  }
}

TEST_CASE("a name twice in a kept file is one name, and what is kept can be read again") {
  const Scratch folder;
  write(folder.file("names"), "p1\np1\n\np2");
  Result<KeptNames> names = KeptNames::open(folder.file("names"));
  REQUIRE(names);
  CHECK(names->names() == std::set<std::string>{"p1", "p2"});
  const Status kept = names->keep({"p1", "p 3"});
  REQUIRE_FALSE(kept);
  CHECK_THAT(describe(kept.error()), Catch::Contains("p 3"));
  CHECK(KeptNames::open(folder.file("names"))->names() == std::set<std::string>{"p1", "p2"});
}

TEST_CASE("a host's name that is not UTF-8 ended the agent when its fence was noted") {
  const Scratch folder;
  CapJournal journal = CapJournal::open(folder.file("fences")).value();
  const Status put =
      journal.put(std::vector<HostCap>{{"p\xff", true, 1, 0, 0, 0, {{7, 0, 1, 0}}, 0}});
  REQUIRE_FALSE(put);
  CHECK_THAT(describe(put.error()), Catch::Contains(folder.file("fences")));
  HostOwners owners = HostOwners::open({"imp-{host}", {}}, folder.file("hosts"), false).value();
  CHECK_FALSE(owners.learn(std::vector<HostSeen>{{"imp-\xff", 0, false, false}}, journal));
}

}  // namespace
}  // namespace leasehold::agent
