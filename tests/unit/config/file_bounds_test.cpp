// Files that are larger than any site's are refused with the bound, in time that grows with the
// file. Pipes instead of files are refused, unless a person names one.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "broker/config/load.hpp"
#include "broker/config/lsf/import.hpp"
#include "common/config/toml_limits.hpp"
#include "tests/support/pipes.hpp"

using namespace leasehold;

namespace {

/// Loads a broker that reads east's exports from an LSF file with this text.
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

namespace {

/// A folder with a pipe that nobody writes to; it is removed at the end of the test.
class FolderWithPipe {
 public:
  FolderWithPipe() {
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    test::make_pipe(pipe());
  }
  FolderWithPipe(const FolderWithPipe&) = delete;
  FolderWithPipe& operator=(const FolderWithPipe&) = delete;
  ~FolderWithPipe() { std::filesystem::remove_all(folder_); }
  std::string pipe() const { return folder_ + "/pipe"; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

 private:
  std::string folder_ = "/tmp/leasehold-pipe-XXXXXX";
};

std::string first_error(const std::vector<Error>& errors) {
  return errors.empty() ? "" : describe(errors.front());
}

}  // namespace

TEST_CASE("a configuration, and each file that it names, is refused at once where it is a pipe") {
  const FolderWithPipe folder;
  const std::string cluster = "[[cluster]]\nname = \"east\"\n";
  const std::string refused = "is a pipe: a regular file is wanted";
  CHECK_THAT(first_error(load_broker_config(folder.pipe()).errors),
             Catch::Contains(folder.pipe() + ": " + refused));
  for (const char* key : {"lsb_resources", "lsb_params"}) {
    INFO(key);
    const auto file =
        folder.write("broker.toml", "[broker]\nname = \"b\"\n" + cluster + key + " = \"pipe\"\n");
    CHECK_THAT(first_error(load_broker_config(file).errors), Catch::Contains(refused));
    CHECK_THAT(first_error(load_broker_config(file, Pipes::allowed).errors),
               Catch::Contains(refused));
  }
  const auto plan =
      folder.write("plan.toml", "[broker]\nname = \"b\"\nplan = \"pipe\"\n" + cluster);
  CHECK_THAT(first_error(load_broker_config(plan).errors), Catch::Contains(refused));
  const auto including = folder.write("lsb.resources", "#INCLUDE \"pipe\"\n");
  CHECK_THAT(first_error(import_lsf({including}, {"east", "UTC"}).errors),
             Catch::Contains(refused));
}

TEST_CASE("an LSF file that a person names may be a pipe") {
  const FolderWithPipe folder;
  const std::string text = export_of("h", "[west, 1]");
  std::thread writer([&] { std::ofstream(folder.pipe()) << text; });
  const Imported imported = import_lsf({folder.pipe()}, {"east", "UTC"});
  writer.join();
  CHECK(first_error(imported.errors).empty());
  CHECK_FALSE(imported.toml.empty());
}
