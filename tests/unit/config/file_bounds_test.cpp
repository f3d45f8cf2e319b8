// Files that are larger than any site's: refused with the bound, in time that grows with the file.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "broker/config/load.hpp"
#include "common/config/toml_limits.hpp"

using namespace leasehold;

namespace {

/// A broker that reads what east exports from an LSF file of this text.
std::vector<Error> errors_of(const std::string& lsb_resources) {
  std::string folder = "/tmp/leasehold-bounds-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  std::ofstream(folder + "/lsb.resources") << lsb_resources;
  std::ofstream(folder + "/broker.toml")
      << "[broker]\nname = \"b\"\n[[cluster]]\nname = \"east\"\nlsb_resources = "
         "\"lsb.resources\"\n[[cluster]]\nname = \"west\"\n";
  const Loaded loaded = load_broker_config(folder + "/broker.toml");
  std::filesystem::remove_all(folder);
  return loaded.errors;
}

std::string export_of(const std::string& hosts, const std::string& shares) {
  return "Begin HostExport\nPER_HOST = " + hosts + "\nSLOTS = 1\nDISTRIBUTION = (" + shares +
         ")\nEnd HostExport\n";
}

std::string repeated(const std::string& word, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += word;
  return text;
}

}  // namespace

TEST_CASE("PER_HOST of more hosts than any site has is refused with the bound, at once") {
  const auto errors = errors_of(export_of(repeated(" h", 1'000'000), "[west, 1]"));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].line == 2);
  CHECK_THAT(errors[0].message, Catch::Contains("'PER_HOST' names more than 100000 hosts"));
}

TEST_CASE("a distribution of more shares than any site has is refused with the bound") {
  const auto errors = errors_of(export_of("h", repeated("[east, 1] ", 10'001)));
  REQUIRE_FALSE(errors.empty());
  CHECK(errors[0].line == 4);
  CHECK_THAT(errors[0].message, Catch::Contains("more than 10000 clusters"));
}

TEST_CASE("LSF files and configurations beyond 16 MiB are not read") {
  const auto errors = errors_of(std::string(kTomlBytesMax + 1, '#'));
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0].message, Catch::Contains("larger than 16 MiB"));
}
