// schema/COMMANDS.md lists all that can be typed; schema/REASONS.md and schema/EVENTS.md list all
// reasons and events.
#include "broker/ctl/files/reference.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/reference_pages.hpp"

using namespace leasehold;

namespace {

std::string written(const std::string& page) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/" + page);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the references of commands, reasons and events are what leasectl reference prints") {
  INFO(
      "what there is is other than schema/ says; write it anew:\n"
      "  build/bin/leasectl reference > schema/COMMANDS.md\n"
      "  build/bin/leasectl reference reasons > schema/REASONS.md\n"
      "  build/bin/leasectl reference events > schema/EVENTS.md");
  CHECK((written("schema/COMMANDS.md") == ctl::reference_text(ctl::program_help())));
  CHECK((written("schema/REASONS.md") == reasons_text()));
  CHECK((written("schema/EVENTS.md") == events_text()));
}

TEST_CASE("the reference tells of each command what it takes, in JSON too") {
  const std::string text = ctl::reference_text(ctl::program_help());
  CHECK_THAT(
      text, Catch::Contains(
                "leasectl groups [GROUP] [-l] [--at TIME] [--cluster CLUSTER] [--provider CLUSTER] "
                "[--policy POLICY] [--sort FIELD,...]"));
  CHECK_THAT(text, Catch::Contains("| `--at` `TIME` | as it was then: "));
  CHECK_THAT(text, Catch::Contains("leasectl import-lsf FILE... [--provider CLUSTER]"));
  CHECK_THAT(text, Catch::Contains("leasectl tables DB [FILE]\n"));
  CHECK_THAT(text, Catch::Contains("`\"command\": \"backup\"`, `after`? `part`?. Role: `admin`."));
  CHECK_THAT(text, Catch::Contains("leasectl plan --config FILE --state FILE\n"));
  CHECK_THAT(text, Catch::Contains("`\"command\": \"close\"`, `host` `consumer`? `reclaim`? "
                                   "`reason`? `until`?. Role: `admin`."));
}
