// Waiting jobs want more of hosts than cores, as Slurm 22.05 prints it.
#include "agent/workload/slurm/printed/wants.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::agent;

namespace {

SlurmWants read(const std::string& of_one) {
  const auto found = parse_slurm_wants("7|" + of_one + "\n");
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  return found->at("7");
}

}  // namespace

TEST_CASE("slurm: features that a job asks for are asked of a host as Slurm does") {
  const struct {
    const char* asked;
    std::optional<bool> fits;  // a host with "fast" and "ib"
  } rows[] = {{"", true},
              {"fast", true},
              {"slow", false},
              {"fas", false},
              {"fast&ib", true},
              {"fast&slow", false},
              {"fast,slow", false},
              {"slow|ib", true},
              {"slow|old", false},
              {"slow&ib|fast", true},  // from left to right
              {"slow|fast&ib", true},
              {"fast|ib&slow", false},
              {"[slow|fast]", true},
              {"[slow|old]", false},
              {"[fast*2&slow*4]", true},  // one of its hosts may be this one
              {"fast*4", true},
              {"slow*4", false},
              {"(slow|fast)&ib", true},
              {"(slow|fast)&old", false},
              {"[(slow&fast)|(fast&ib)]", true},
              // not understood
              {"fast&", std::nullopt},
              {"|fast", std::nullopt},
              {"(fast", std::nullopt},
              {"fast]", std::nullopt},
              {"fast*", std::nullopt},
              {"()", std::nullopt}};
  for (const auto& row : rows) {
    INFO(row.asked);
    CHECK(slurm_features_fit(row.asked, {"fast", "ib"}) == row.fits);
  }
  CHECK_FALSE(slurm_features_fit(std::string(100'000, '('), {"fast"}).has_value());
  CHECK(slurm_features_fit("fast ib", {"fast", "ib"}) == false);
  CHECK(slurm_features_fit("fast", {}) == false);
}

TEST_CASE("slurm: memory and devices are told of a host, a CPU, a task or of all hosts together") {
  CHECK(read("100M|cpu=4,mem=400M,node=1,billing=4|N/A|N/A|N/A|N/A|(null)|(null)|") ==
        SlurmWants{0, 100, {}, ""});
  CHECK(read("400M|cpu=4,mem=400M,node=1,billing=4|N/A|N/A|N/A|N/A|(null)|(null)|") ==
        SlurmWants{400, 0, {}, ""});
  CHECK(read("150M|cpu=8,mem=300M,node=2,billing=8|N/A|N/A|N/A|N/A|(null)|(null)|") ==
        SlurmWants{150, 0, {}, ""});
  CHECK(read("1.51G|cpu=8,mem=12360M,node=1,billing=8|N/A|N/A|N/A|N/A|(null)|(null)|")
            .mem_mb_per_cpu == 1546);
  CHECK(read("2T|cpu=8,mem=4T,node=2,billing=8|N/A|N/A|N/A|N/A|(null)|(null)|").mem_mb_per_host ==
        2'097'152);
  CHECK(
      read("0|cpu=1,mem=16000M,node=1,billing=1|N/A|N/A|N/A|N/A|(null)|(null)|").mem_mb_per_host ==
      0);  // --mem=0
  CHECK(read("1|cpu=1,node=1|N/A|N/A|N/A|N/A|(null)|(null)|").mem_mb_per_host == 1);
  const SlurmWants devices = read(
      "0|cpu=2,node=2,billing=1|gres:gpu:2,gres:gpu:tesla:1|N/A|gres/fpga|gres/nic:3|course|ib|");
  CHECK(devices.devices ==
        std::vector<SlurmDevice>{
            {"gpu", "", 2}, {"gpu", "tesla", 1}, {"fpga", "", 1}, {"nic", "", 2}});
  CHECK(devices.features == "ib");
  CHECK(devices.reservation == "course");
  CHECK(read("0|cpu=1|N/A|N/A|N/A|N/A|(null)|[a|b]&c|").features == "[a|b]&c");
}

TEST_CASE("slurm: what is cut off or of another form is refused") {
  const std::string whole = "7|0|cpu=1|N/A|N/A|N/A|N/A|(null)|(null)|";
  CHECK(parse_slurm_wants("")->empty());
  CHECK(parse_slurm_wants("\n")->empty());
  CHECK(parse_slurm_wants(whole + "\n" + whole + "\n")->size() == 1);  // of an array
  for (const std::string& text :
       {whole, whole.substr(0, whole.size() - 1) + "\n", std::string("7|0|cpu=1\n"),
        "x" + whole.substr(1) + "\n", std::string("7|0|cpu=1|(null)|\n")}) {
    INFO(text);
    CHECK_FALSE(parse_slurm_wants(text));
  }
}

TEST_CASE("slurm: what is not understood of one job is told with it, and blinds nobody") {
  for (const char* memory :
       {"0|cpu=1,mem=much", "0|cpu=1,mem=4Q", "0|cpu=1,mem=-4M", "0|cpu=1,mem=", "0|cpu=1,node=0",
        "nan|cpu=1", "4Q|cpu=1", "9e99|cpu=1", "3000000T|"}) {
    INFO(memory);
    const SlurmWants wants = read(std::string(memory) + "|N/A|N/A|N/A|N/A|(null)|(null)|");
    CHECK_THAT(wants.unknown, Catch::StartsWith("the memory '"));
  }
  CHECK(read("0|cpu=1|N/A|N/A|N/A|N/A|(null)|(a|").unknown ==
        "the features '(a' of a waiting job are not understood");
  CHECK(read("|cpu=1||||||(null)|") == SlurmWants{});  // a version that does not tell
}

TEST_CASE("slurm: devices of a node are read with their types and counts") {
  using Devices = std::vector<SlurmDevice>;
  CHECK(parse_slurm_devices("gpu:2") == Devices{{"gpu", "", 2}});
  CHECK(parse_slurm_devices("gpu:tesla:2(S:0-1),gpu:kepler:1(S:0,1),fpga") ==
        Devices{{"gpu", "tesla", 2}, {"gpu", "kepler", 1}, {"fpga", "", 1}});
  CHECK(parse_slurm_devices("bandwidth:lustre:no_consume:4K") ==
        Devices{{"bandwidth", "lustre", 4096}});
  CHECK(parse_slurm_devices("").empty());
  CHECK(parse_slurm_devices("none").empty());
}
