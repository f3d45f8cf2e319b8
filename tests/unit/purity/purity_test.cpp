// The pure folders know nothing of the world (broker/README.md, "A pure core").
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/purity/scan.hpp"

namespace leasehold {

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("the pure folders include only the standard library and values, and no outside word") {
  for (const char* folder : {"broker/core", "broker/rules", "agent/core"}) {
    int files = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(LEASEHOLD_SOURCE_DIR) / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      ++files;
      for (const std::string& fault : impurities(folder, read(entry.path()))) {
        FAIL_CHECK(entry.path().string() << ": " << fault);
      }
    }
    INFO(folder);
    CHECK(files > 0);
  }
}

TEST_CASE("what is impure is found") {
  const struct {
    const char* text;
    const char* fault;  // "": none
  } rows[] = {
      {"#include <thread>\n", "line 1: #include <thread>"},
      {"#include <vector>\n#include <random>\n", "line 2: #include <random>"},
      {"  #  include  <fstream>\n", "#include <fstream>"},
      {"#include<iostream>", "#include <iostream>"},
      {"#include \"common/log.hpp\"\n", "#include \"common/log.hpp\""},
      {"#include \"common/time/clock.hpp\" // why\n", "#include \"common/time/clock.hpp\""},
      {"#include \"broker/store/store.hpp\"\n", "broker/store/store.hpp"},
      {"#include \"agent/core/limits/limits.hpp\"\n", "agent/core/limits/limits.hpp"},
      {"#include <msgpack.hpp>\n", "msgpack.hpp"},
      {"#include WHERE\n", "(a macro)"},
      {"auto t = std::chrono::steady_clock::now();", "chrono"},
      {"int r = rand();", "rand"},
      {"return ::time(nullptr);", "time"},
      {"double share = 0.5;", "double"},
      {"int a; /* x */ std::cout << a;", "cout"},
      {"char c = '\"'; float f;", "float"},
      {"int n = 10'000; float f; char c = 'x';", "float"},
      {"#include <vector>\n#include \"common/time/instant.hpp\"\n#include "
       "\"broker/rules/select/select.hpp\"\n",
       ""},
      {"// #include <thread> and rand()\n/* double\n float */ int a;\n", ""},
      {"const char* t = \"a float \\\" double\";\n", ""},
      {"int time_ms = 0; int branding = 0; int randomly = 1;\n", ""},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const auto faults = impurities("broker/core", row.text);
    if (*row.fault == '\0') {
      CHECK(faults.empty());
    } else {
      REQUIRE_FALSE(faults.empty());
      CHECK_THAT(faults.front(), Catch::Contains(row.fault));
    }
  }
  CHECK(impurities("agent/core", "#include \"agent/core/limits/limits.hpp\"").empty());
  CHECK_FALSE(impurities("agent/core", "#include \"broker/core/model/state.hpp\"").empty());
}

}  // namespace

}  // namespace leasehold
