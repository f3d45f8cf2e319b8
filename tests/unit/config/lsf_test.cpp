#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "broker/config/load.hpp"
#include "broker/config/lsf/exports.hpp"
#include "broker/config/lsf/import.hpp"

using namespace leasehold;

namespace {

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/leasehold-lsf-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Read {
  LsfExports exports;
  Findings findings;
};

Read read(const std::string& text) {
  Read result;
  Folder folder;
  const auto sections = read_lsf_file(folder.write("lsb.resources", text), result.findings);
  take_lsf_sections(sections, "east", "UTC", result.exports, result.findings);
  return result;
}

std::string all_findings(const Findings& findings) {
  std::string text;
  for (const auto* list : {&findings.errors, &findings.warnings, &findings.notes}) {
    for (const Error& error : *list) text += describe(error) + "\n";
  }
  return text;
}

std::string section(const std::string& body) {
  return "Begin HostExport\n" + body + "\nEnd HostExport\n";
}

const std::string kPlain = "PER_HOST = a\nSLOTS = 1\nDISTRIBUTION = ([west, 1])";

}  // namespace

TEST_CASE("a HostExport section is read as LSF writes it") {
  const Read r = read(
      "# comment\n\n  begin  hostexport   # trailing\n  Per_Host = big1 \\\n     big2\n"
      "SLOTS=4\nMEM =4096 # MB\nSWAP= -\nTYPE = Shared\nDISTRIBUTION = ([berlin, 1] \\\n"
      "  [oslo,3])\nEND HostExport\n");
  INFO(all_findings(r.findings));
  CHECK(r.findings.errors.empty());
  REQUIRE(r.exports.policies.size() == 1);
  const ExportPolicy& policy = r.exports.policies[0].policy;
  CHECK(policy.name == "east-1");
  CHECK(policy.provider == "east");
  CHECK(policy.hosts == std::vector<std::string>{"big1", "big2"});
  CHECK(policy.slots_per_host == 4);
  CHECK(policy.mem_mb == 4096);
  CHECK(policy.swap_mb == 0);
  CHECK(policy.type == LeaseType::shared);
  CHECK(policy.rule == RuleKind::idle_comparison);
  CHECK(policy.distribution == std::vector<Share>{{"berlin", 1}, {"oslo", 3}});
  CHECK_THAT(policy.source.file, Catch::EndsWith("/lsb.resources"));
  CHECK(policy.source.line == 3);
  const Written& written = r.exports.policies[0].written;
  CHECK(written.elements(&ExportPolicy::distribution)[1] == Place{11, 3});
  CHECK(written.elements(&ExportPolicy::hosts)[1] == Place{5, 6});
}

TEST_CASE("selections, default markers and bare distributions are read") {
  const Read r = read(
      section("RES_SELECT = select[type==LINUX64 && mem>8000]\nNHOSTS = 6\nMEM = ()\n"
              "DISTRIBUTION= [berlin, 1] [oslo, 1]") +
      section("RES_SELECT = \"type==any\"\nNHOSTS = 2\nTYPE = -\nDISTRIBUTION = ([berlin, 1])"));
  INFO(all_findings(r.findings));
  CHECK(r.findings.errors.empty());
  REQUIRE(r.exports.policies.size() == 2);
  CHECK(r.exports.policies[0].policy.select == "select[type==LINUX64 && mem>8000]");
  CHECK(r.exports.policies[0].policy.nhosts == 6);
  CHECK(r.exports.policies[0].policy.distribution.size() == 2);
  CHECK(r.exports.policies[1].policy.select == "type==any");
  CHECK(r.exports.policies[1].policy.type == LeaseType::exclusive);
  CHECK(r.exports.policies[1].policy.name == "east-2");
}

TEST_CASE("#if time gives windows, #elif and #else what the branches before leave") {
  const Read r = read("#if time(20:00-6:00)\n" + section(kPlain) + "#else\n" + section(kPlain) +
                      "#endif\n#if time(5:18:00-1:8)\n#endif\n");
  REQUIRE(r.exports.policies.size() == 2);
  CHECK(r.exports.policies[0].policy.windows == std::vector<WeekWindow>{{{}, 1200, 360}});
  CHECK(r.exports.policies[1].policy.windows == std::vector<WeekWindow>{{{}, 360, 1200}});
  CHECK(r.findings.errors.size() == 1);  // 5:18:00-1:8 mixes the two forms

  const Read nested =
      read("#if time(8-18)\n#if time(10-20)\n" + section(kPlain) + "#elif time(9:30-11)\n" +
           section(kPlain) + "#else\n" + section(kPlain) + "#endif\n#endif\n" + section(kPlain));
  INFO(all_findings(nested.findings));
  CHECK(nested.findings.errors.empty());
  REQUIRE(nested.exports.policies.size() == 4);
  CHECK(nested.exports.policies[0].policy.windows == std::vector<WeekWindow>{{{}, 600, 1080}});
  CHECK(nested.exports.policies[1].policy.windows == std::vector<WeekWindow>{{{}, 570, 600}});
  CHECK(nested.exports.policies[2].policy.windows == std::vector<WeekWindow>{{{}, 480, 570}});
  CHECK(nested.exports.policies[3].policy.windows.empty());

  const Read never =
      read("#if time(0:00-24:00)\n" + section(kPlain) + "#else\n" + section(kPlain) + "#endif\n");
  CHECK(never.exports.policies.size() == 1);
  CHECK(never.exports.policies[0].policy.windows.empty());
  REQUIRE(never.findings.warnings.size() == 1);
  CHECK_THAT(never.findings.warnings[0].message, Catch::Contains("never exports"));
}

TEST_CASE("what is wrong in an LSF file is told with the file's own line and column") {
  struct Bad {
    std::string text;
    int line;
    int column;
    const char* fragment;
  };
  const Bad cases[] = {
      {"SLOTS = 1\n", 1, 1, "expected 'Begin SECTION'"},
      {"Begin HostExport\n" + kPlain + "\n", 1, 1, "is not ended"},
      {"Begin HostExport\n" + kPlain + "\nBegin Limit\nEnd Limit\n", 5, 1, "is not ended"},
      {"Begin HostExport\n" + kPlain + "\nEnd Limit\n", 5, 1, "expected 'End HostExport'"},
      {"End HostExport\n", 1, 1, "without its 'Begin'"},
      {"Begin\n", 1, 1, "with one name"},
      {section("SLOTS ="), 2, 1, "write - or ()"},
      {section("SLOTS 5"), 2, 1, "expected KEY = value"},
      {section("SLOTS = five"), 2, 9, "whole number"},
      {section("SLOTS = -5"), 2, 9, "whole number"},
      {section("SLOTS = 99999999999999999999"), 2, 9, "whole number"},
      {section("SLOTS = 1\nSLOTS = 2"), 3, 1, "is given twice"},
      {section("TYPE = exclusive"), 2, 8, "write shared"},
      {section("DISTRIBUTION = ([west, 1)"), 2, 25, "']' is missing"},
      {section("DISTRIBUTION = ([west 1])"), 2, 23, "','"},
      {section("DISTRIBUTION = ([west, x])"), 2, 24, "must be a whole number"},
      {section("DISTRIBUTION = ([, 1])"), 2, 18, "name of a cluster"},
      {section("DISTRIBUTION = ([west, 1]"), 2, 26, "')' is missing"},
      {section("DISTRIBUTION = ([west, 1]) x"), 2, 28, "nothing more"},
      {section("DISTRIBUTION = all"), 2, 16, "'[' is missing"},
      {"#if time(20:00)\n#endif\n", 1, 10, "no time window"},
      {"#if time(25:00-6)\n#endif\n", 1, 10, "no time window"},
      {"#if time(7:00:00-1:00:00)\n#endif\n", 1, 10, "no time window"},
      {"#if time(8-8)\n#endif\n", 1, 10, "no time window"},
      {"#if time(8-12 11-13)\n#endif\n", 1, 15, "overlaps"},
      {"#if time(8-12\n#endif\n", 1, 9, "without its ')'"},
      {"#if host(a)\n#endif\n", 1, 5, "only #if time"},
      {"#if time(8-12) && time(1-2)\n#endif\n", 1, 16, "only one time(...)"},
      {"#if time(8-12)\n", 1, 1, "without its #endif"},
      {"#endif\n", 1, 1, "no #if before it"},
      {"#if time(8-12)\n#else\n#else\n#endif\n", 3, 1, "only #endif may follow"},
      {section("#if time(8-12)\nSLOTS = 1\n#endif"), 2, 1, "round whole sections"},
      {"#INCLUDE lsb.more\n", 1, 1, "in quotes"},
      {"#INCLUDE \"/nonexistent/lsb.more\"\n", 1, 1, "cannot be read: No such file"},
      {"Begin Parameters\nMC_RECLAIM_DELAY = 0\nEnd Parameters\n", 2, 20, "at least 1"},
      {"Begin Parameters\nMC_RECLAIM_DELAY = 5m\nEnd Parameters\n", 2, 20, "whole number"},
      {"Begin Parameters\nMC_RECLAIM_DELAY = 5\nMC_RECLAIM_DELAY = 6\nEnd Parameters\n", 3, 1,
       "already"},
      {"Begin Parameters\n#if time(8-12)\nMC_RECLAIM_DELAY = 5\n#endif\nEnd Parameters\n", 3, 1,
       "inside #if"},
      {"#if time(8-12)\nBegin SharedResourceExport\nNAME=l\nNINSTANCES=1\nDISTRIBUTION=[west,1]\n"
       "End SharedResourceExport\n#endif\n",
       2, 1, "has no windows"},
  };
  for (const Bad& bad : cases) {
    const Read r = read(bad.text);
    INFO(bad.text << "----\n" << all_findings(r.findings));
    REQUIRE(r.findings.errors.size() == 1);
    CHECK(r.findings.errors[0].line == bad.line);
    CHECK(r.findings.errors[0].column == bad.column);
    CHECK_THAT(r.findings.errors[0].file, Catch::EndsWith("/lsb.resources"));
    CHECK_THAT(r.findings.errors[0].message, Catch::Contains(bad.fragment));
  }
}

TEST_CASE("unknown keys are warned of and other sections noted, once a name") {
  const Read r =
      read(section(kPlain + "\nSLOT = 4") +
           "Begin Limit\nNAME USERS SLOTS\na all 5\nEnd Limit\nBegin Limit\nEnd limit\n");
  CHECK(r.findings.errors.empty());
  REQUIRE(r.findings.warnings.size() == 1);
  CHECK_THAT(r.findings.warnings[0].message, Catch::Contains("did you mean 'SLOTS'?"));
  REQUIRE(r.findings.notes.size() == 1);
  CHECK_THAT(r.findings.notes[0].message, Catch::Contains("Limit (2 of them)"));
}

TEST_CASE("included files are read from the folder of the file that names them, loops refused") {
  Folder folder;
  const std::string top =
      folder.write("lsb.resources", "#include \"sub/more\"\n" + section(kPlain));
  folder.write("sub/more", "#INCLUDE \"most\"\n" + section(kPlain));
  folder.write("sub/most", section("PER_HOST = deep\nSLOTS = x\nDISTRIBUTION = ([west, 1])"));
  Findings findings;
  const auto sections = read_lsf_file(top, findings);
  CHECK(findings.errors.empty());
  REQUIRE(sections.size() == 3);
  CHECK(sections[0].spot.file == folder.path("sub/most"));
  CHECK(sections[0].spot.place == Place{1, 1});

  folder.write("sub/most", "#INCLUDE \"../lsb.resources\"\n");
  Findings looped;
  read_lsf_file(top, looped);
  REQUIRE(looped.errors.size() == 1);
  CHECK_THAT(looped.errors[0].message, Catch::Contains("includes itself"));
  CHECK(looped.errors[0].file == folder.path("sub/most"));
}

TEST_CASE("an include with a control character in its path is refused, and imports stay readable") {
  Folder folder;
  folder.write("b\xfc", section(kPlain));
  std::string text = section(kPlain) + "#INCLUDE \"b";
  text += '\0';
  const Imported cut = import_lsf({folder.write("lsb.resources", text + "\"\n")}, {"east", "UTC"});
  REQUIRE(cut.errors.size() == 1);
  CHECK_THAT(cut.errors[0].message, Catch::Contains("control character"));
  // A name that is no UTF-8 is in a comment of the written TOML.
  const Imported named =
      import_lsf({folder.write("lsb.resources", "#INCLUDE \"b\xfc\"\n")}, {"east", "UTC"});
  CHECK(named.errors.empty());
  CHECK(parse_broker_config(named.toml, "b.toml").ok());
}

TEST_CASE("#if within #if ends at 64 levels, told once") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "#if time(8-18)\n#else\n";
  for (int i = 0; i < 200; ++i) text += "#endif\n";
  const Read r = read(text + section(kPlain));
  INFO(all_findings(r.findings));
  REQUIRE(r.findings.errors.size() == 1);
  CHECK_THAT(r.findings.errors[0].message, Catch::Contains("more than 64 nested #if"));
  CHECK(r.exports.policies.size() == 1);
}

TEST_CASE("includes that double at every level come to an end") {
  Folder folder;
  for (int level = 0; level < 40; ++level) {
    const std::string next = "#INCLUDE \"f" + std::to_string(level + 1) + "\"\n";
    folder.write("f" + std::to_string(level), next + next);
  }
  folder.write("f40", "");
  Findings findings;
  read_lsf_file(folder.path("f0"), findings);
  REQUIRE_FALSE(findings.errors.empty());
  CHECK_THAT(findings.errors[0].message, Catch::Contains("files included"));
  CHECK(findings.errors.size() == 1);
}

TEST_CASE("a broker takes policies from a cluster's LSF files, in LSF's own words") {
  Folder folder;
  folder.write("lsb.resources", section(kPlain) + section("PER_HOST = b\nSLOTS = 2\nTYPE = shared\n"
                                                          "DISTRIBUTION = ([west, 1] [oslo, 1])"));
  folder.write("lsb.params", "Begin Parameters\nMC_RECLAIM_DELAY = 7\nEnd Parameters\n");
  const std::string head =
      "[broker]\nreclaim_delay = \"1m\"\n[[cluster]]\nname = \"west\"\n"
      "[[cluster]]\nname = \"east\"\nlsb_resources = \"lsb.resources\"\n"
      "lsb_params = \"lsb.params\"\n";
  const Loaded loaded = load_broker_config(folder.write("b.toml", head));
  REQUIRE(loaded.errors.size() == 2);
  CHECK(loaded.errors[0].file == folder.path("lsb.resources"));
  CHECK(loaded.errors[0].line == 10);
  CHECK_THAT(loaded.errors[0].message, Catch::Contains("with 'PER_HOST' has one consumer"));
  CHECK_THAT(loaded.errors[1].message, Catch::Contains("'oslo' is not a known cluster"));
  CHECK(loaded.core.clusters[1].reclaim_delay_ms == 420'000);
  CHECK(loaded.core.clusters[0].reclaim_delay_ms == 60'000);

  folder.write("lsb.resources", section(kPlain));
  const Loaded both = load_broker_config(folder.write("c.toml", head + "reclaim_delay = \"5m\"\n"));
  CHECK(both.ok());
  CHECK(both.core.clusters[1].reclaim_delay_ms == 300'000);
  REQUIRE(both.warnings.size() == 1);
  CHECK(both.warnings[0].file == folder.path("lsb.params"));
  CHECK(both.warnings[0].line == 2);
  CHECK_THAT(both.warnings[0].message, Catch::Contains("c.toml:9"));
  REQUIRE(both.core.policies.size() == 1);
  CHECK(both.core.policies[0].name == "east-1");

  folder.write("lsb.resources", "#if time(8-12)\n" + section(kPlain) + "#endif\n");
  const Loaded timed = load_broker_config(folder.path("b.toml"));
  REQUIRE(timed.warnings.size() == 1);
  CHECK_THAT(timed.warnings[0].message, Catch::Contains("give the cluster a 'timezone'"));

  folder.write("d.toml", "[[cluster]]\nname = \"east\"\nlsb_resources = \"missing\"\n");
  const Loaded missing = load_broker_config(folder.path("d.toml"));
  REQUIRE(missing.errors.size() == 1);
  CHECK(missing.errors[0].file == folder.path("missing"));
}

namespace {

/// Removes the places, which a translation changes.
std::vector<ExportPolicy> placeless(std::vector<ExportPolicy> policies) {
  for (auto& policy : policies) policy.source = {};
  return policies;
}

}  // namespace

TEST_CASE("imported TOML loads to the very policies that the LSF files gave") {
  const std::string examples = LEASEHOLD_SOURCE_DIR "/config/";
  const std::string folder = examples + "lsf/east/configdir/";
  const Imported imported =
      import_lsf({folder + "lsb.resources", folder + "lsb.params"}, {"", "Europe/Berlin"});
  REQUIRE(imported.errors.empty());
  const Loaded from_toml = parse_broker_config(imported.toml, "imported.toml");
  const Loaded from_lsf = load_broker_config(examples + "broker-lsf.toml");
  INFO(imported.toml);
  REQUIRE(from_toml.ok());
  REQUIRE(from_lsf.ok());
  CHECK(from_toml.warnings.empty());
  CHECK(placeless(from_toml.core.policies) == placeless(from_lsf.core.policies));
  REQUIRE(from_toml.core.resources.size() == 1);
  CHECK(from_toml.core.resources[0].distribution == from_lsf.core.resources[0].distribution);
  CHECK(from_toml.core.clusters[0].name == "east");
  CHECK(from_toml.core.clusters[0].reclaim_delay_ms == 300'000);
  CHECK(from_toml.core.clusters.size() == 3);
}

TEST_CASE("an import writes this TOML and reports what has no counterpart") {
  Folder folder;
  const std::string file =
      folder.write("east/configdir/lsb.resources",
                   "Begin Limit\nEnd Limit\n#if time(5:18:00-1:8:00)\n" +
                       section("PER_HOST = a b\nSLOTS = 2\nTYPE = shared\nMEM = 512\nCOLOUR = red\n"
                               "DISTRIBUTION = ([west, 1] [east, 5])") +
                       "#endif\n");
  const std::string params = folder.write(
      "east/configdir/lsb.params", "Begin Parameters\nMBD_SLEEP_TIME = 20\nEnd Parameters\n");
  const Imported imported = import_lsf({file, params});
  REQUIRE(imported.errors.empty());
  CHECK(imported.toml ==
        "[[cluster]]\n"
        "name           = \"east\"\n"
        "\n[[cluster]]\n"
        "name           = \"west\"\n"
        "\n# " +
            file +
            ":4\n"
            "[[export_policy]]\n"
            "name           = \"east-1\"\n"
            "provider       = \"east\"\n"
            "hosts          = [\"a\", \"b\"]\n"
            "slots_per_host = 2\n"
            "distribution   = [{ cluster = \"west\", shares = 1 }]\n"
            "type           = \"shared\"\n"
            "rule           = \"idle-comparison\"\n"
            "mem_mb         = 512\n"
            "window         = [{ days = [\"mon\"], from = \"00:00\", to = \"08:00\" }, "
            "{ days = [\"sun\", \"sat\"], from = \"00:00\", to = \"24:00\" }, "
            "{ days = [\"fri\"], from = \"18:00\", to = \"24:00\" }]\n");
  REQUIRE(imported.report.size() == 5);
  CHECK(imported.report[0] ==
        params + ":2: parameter MBD_SLEEP_TIME has no counterpart and is left out");
  CHECK(imported.report[1] == file + ":1: section Limit has no counterpart and is ignored");
  CHECK_THAT(imported.report[2], Catch::Contains(":4: #if time is taken as UTC"));
  CHECK_THAT(imported.report[3], Catch::Contains(":9: unknown key 'COLOUR'"));
  CHECK_THAT(imported.report[4], Catch::Contains(":10: the provider 'east'"));
}

TEST_CASE("an import is refused where the files are, or where the provider is not known") {
  Folder folder;
  const std::string file =
      folder.write("lsb.resources", section("PER_HOST = a\nSLOTS = 2\nTYPE = shared\n"
                                            "DISTRIBUTION = ([west, 1] [oslo, 1])"));
  const Imported nameless = import_lsf({file});
  REQUIRE_FALSE(nameless.errors.empty());
  CHECK_THAT(nameless.errors[0].message, Catch::Contains("which cluster is this?"));
  const Imported illegal = import_lsf({file}, {"east", "UTC"});
  REQUIRE(illegal.errors.size() == 1);
  CHECK(illegal.toml.empty());
  CHECK(illegal.errors[0].line == 5);
  CHECK_FALSE(import_lsf({}).errors.empty());
  CHECK_FALSE(import_lsf({}, {"east", "UTC"}).errors.empty());
  CHECK_FALSE(import_lsf({folder.path("missing")}, {"east", "UTC"}).errors.empty());
  CHECK_FALSE(import_lsf({file}, {"east", "Mars"}).errors.empty());
  const Imported two =
      import_lsf({folder.write("a/configdir/f", ""), folder.write("b/configdir/f", "")});
  REQUIRE_FALSE(two.errors.empty());
  CHECK_THAT(two.errors[0].message, Catch::Contains("one provider at a time"));
}
