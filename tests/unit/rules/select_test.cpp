#include "broker/rules/select/select.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using leasehold::Selection;
using leasehold::wire::HostFacts;

namespace {

HostFacts big_host() {
  HostFacts host;
  host.name = "big1";
  host.type = "LINUX64";
  host.model = "Xeon E5";
  host.slots = 16;
  host.mem_mb = 64000;
  host.swap_mb = 8000;
  host.booleans = {"ssd", "bigmem"};
  host.numbers_milli = {{"simlic", 2500}, {"gpus", 0}};
  return host;
}

bool matches(const char* text) {
  const auto selection = Selection::parse(text);
  INFO(text << ": " << (selection ? "" : selection.error().message));
  REQUIRE(selection);
  return selection->matches(big_host());
}

/// Random requirements over a few names, as text with parentheses wherever it likes.
rc::Gen<std::string> expression(int depth) {
  const auto leaf = rc::gen::element<std::string>(
      "type==any", "type!=LINUX64", "model=='Xeon E5'", "model==\"it's\"", "mem>8000",
      "swp<=7999.5", "swap>=0", "slots!=16", "ssd", "gpus", "simlic", "simlic==2.5", "simlic<-1.25",
      "absent", "absent!=1", "slots", "mem==9223372036854775.807");
  if (depth == 0) return leaf;
  const auto below = [depth] { return expression(depth - 1); };
  const auto joined = rc::gen::apply(
      [](const std::string& a, const std::string& op, const std::string& b) { return a + op + b; },
      below(), rc::gen::element<std::string>("&&", " || ", "\t&& ", "||"), below());
  const auto wrapped = rc::gen::map(below(), [](const std::string& a) { return "( " + a + ")"; });
  const auto negated = rc::gen::map(below(), [](const std::string& a) { return "!(" + a + ")"; });
  return rc::gen::oneOf(leaf, joined, wrapped, negated);
}

}  // namespace

TEST_CASE("a requirement picks hosts by type, size and resources") {
  const std::pair<const char*, bool> cases[] = {
      {"type==any", true},
      {"type!=any", false},
      {"type==LINUX64", true},
      {"type==LINUX64 && mem>8000", true},
      {"type==LINUX && mem>8000", false},
      {"select[type==LINUX64&&mem>64000]", false},
      {" select [ mem >= 64000 ] ", true},
      {"model=='Xeon E5'", true},
      {"model==\"Xeon E5\" && slots==16", true},
      {"slots!=16", false},
      {"mem<64000.001", true},
      {"mem==64000.0", true},
      {"swp<=8000 && swap>=8000", true},
      {"ssd", true},
      {"!ssd", false},
      {"!!ssd", true},
      {"nvme", false},
      {"!nvme", true},
      {"simlic", true},
      {"gpus", false},
      {"simlic==2.5", true},
      {"simlic>2.499 && simlic<2.501", true},
      {"gpus==0", true},
      {"simlic==3", false},
      {"slots", true},
      {"slots>-1", true},
      {"swap", true},
      {"mem", true},
      {"selected || ssd", true},  // no wrapper: a resource whose name begins like it
      {"\tssd\r\n&&\rsimlic", true},
      {"GPU_v2 || ssd", true},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(matches(text) == expected);
  }
}

TEST_CASE("a resource that the host does not have makes every comparison with it false") {
  for (const char* op : {"==", "!=", "<", "<=", ">", ">="}) {
    CHECK_FALSE(matches(("nvme" + std::string(op) + "1").c_str()));
  }
  CHECK(matches("!(nvme==1)"));
}

TEST_CASE("and binds tighter than or, and not tighter than both") {
  CHECK(matches("ssd || ssd && nvme"));
  CHECK_FALSE(matches("(ssd || ssd) && nvme"));
  CHECK_FALSE(matches("!ssd || nvme"));
  CHECK(matches("!(ssd && nvme) && ssd"));
}

TEST_CASE("a comparison beyond what thousandths can hold is still exact") {
  HostFacts host;
  host.mem_mb = INT64_MAX;
  CHECK(Selection::parse("mem>9223372036854775.807")->matches(host));
  host.mem_mb = INT64_MIN;
  CHECK(Selection::parse("mem<-9223372036854775.807")->matches(host));
}

TEST_CASE("a requirement names the resources it asks for, each once") {
  const auto selection =
      Selection::parse("ssd && simlic>1 && type==any && mem>1 && !(ssd || gpus)");
  REQUIRE(selection);
  CHECK(selection->resources() == std::vector<std::string>{"ssd", "simlic", "gpus"});
}

namespace {

struct Bad {
  std::string text;
  int column;
  const char* fragment;
};

const Bad kUnreadable[] = {
    {"", 1, "type==any takes every host"},
    {"  ", 3, "type==any takes every host"},
    {"select[]", 8, "missing here"},
    {"mem=5", 4, "write =="},
    {"mem>", 5, "a value is missing"},
    {"mem>8G", 5, "not a number"},
    {"mem>1.2345", 5, "three decimals"},
    {"mem>1.", 5, "not a number"},
    {"mem>.5", 5, "not a number"},
    {"mem>-", 5, "not a number"},
    {"mem>1./5", 5, "not a number"},
    {"mem>1+5", 5, "not a number"},
    {"select[(mem>5]", 8, "without its ')'"},
    {"(mem>5 ssd)", 8, "expected &&"},
    {"{ssd}", 1, "expected the name"},
    {"[ssd]", 1, "expected the name"},
    {"@ssd", 1, "cannot be a name"},
    {"ssd[ut]", 4, "only select"},
    {"ssd ||", 7, "missing here"},
    {"select ssd", 8, "expected &&"},
    {"mem>9223372036854775.808", 5, "too large"},
    {"mem>99999999999999999999", 5, "too large"},
    {"mem>'5'", 5, "is a text"},
    {"mem>5 & slots>1", 7, "write &&"},
    {"mem>5 | slots>1", 7, "write ||"},
    {"(mem>5", 1, "without its ')'"},
    {"mem>5)", 6, "without its '('"},
    {"mem>5 slots>1", 7, "expected &&"},
    {"type", 1, "wants a comparison"},
    {"type>LINUX", 1, "only be compared with == and !="},
    {"type==local", 7, "submitting host"},
    {"type=='LINUX", 7, "do not close"},
    {"5<mem", 1, "cannot be a name"},
    {"!mem>5", 2, "write !(...)"},
    {"defined(ssd)", 1, "functions"},
    {"select[mem>5", 13, "']'"},
    {"select[mem>5] order[ut]", 15, "only select[...]"},
    {"mem>5 rusage[mem=5]", 7, "expected &&"},
    {"mem>5 &&", 9, "missing here"},
    {"\x01", 1, "expected the name"},
    {std::string(100000, '('), 1, "longer than"},
    {std::string(8000, '('), 31, "nested deeper than 30"},
    {std::string(8000, '!') + "a", 31, "nested deeper than 30"},
};

}  // namespace

TEST_CASE(
    "a requirement that cannot be read is refused at its column, saying what would be right") {
  for (const auto& [text, column, fragment] : kUnreadable) {
    INFO(text.substr(0, 60));
    const auto selection = Selection::parse(text);
    REQUIRE_FALSE(selection);
    CHECK(selection.error().column == column);
    CHECK(selection.error().code == leasehold::ErrorCode::usage);
    CHECK_THAT(selection.error().message, Catch::Contains(fragment));
  }
}

TEST_CASE("the deepest nesting allowed is evaluated rightly") {
  for (const auto& [innermost, expected] : {std::pair{"ssd", true}, std::pair{"nvme", false}}) {
    std::string text = innermost;
    for (int level = 1; level < 30; ++level) text = "nvme || ssd && (" + text + ")";
    CHECK(matches(text.c_str()) == expected);
  }
}

TEST_CASE("printing a requirement and reading it again gives the same requirement") {
  CHECK(rc::check([] {
    const auto text = *expression(5);
    const auto first = Selection::parse(text);
    RC_ASSERT(first.has_value());
    const auto second = Selection::parse(first->text());
    RC_ASSERT(second.has_value());
    RC_ASSERT(*second == *first);
    RC_ASSERT(second->text() == first->text());
    RC_ASSERT(second->matches(big_host()) == first->matches(big_host()));
  }));
}

TEST_CASE("a requirement is printed in one normal form") {
  const std::pair<const char*, const char*> cases[] = {
      {"select[ ssd&&(simlic>1) ]", "ssd && simlic>1"},
      {"(ssd||gpus)&&simlic", "(ssd || gpus) && simlic"},
      {"ssd||(gpus&&simlic)", "ssd || gpus && simlic"},
      {"ssd && (gpus && simlic)", "ssd && (gpus && simlic)"},
      {"!(ssd) || !(mem>5)", "!ssd || !(mem>5)"},
      {"swap<=-1.250", "swp<=-1.25"},
      {"mem!=-0.5", "mem!=-0.5"},
      {"slots>=007", "slots>=7"},
      {"type=='LINUX64'", "type==LINUX64"},
      {"model!='Xeon E5'", "model!=\"Xeon E5\""},
      {"model=='a \"b\"'", "model=='a \"b\"'"},
      {"model==''", "model==\"\""},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    const auto selection = Selection::parse(text);
    REQUIRE(selection);
    CHECK(selection->text() == expected);
  }
  CHECK(Selection{}.text().empty());
}

TEST_CASE("a requirement that names no resource looks at none") {
  CHECK(matches("type==any && mem>1"));
  CHECK(matches("slots || model==other"));
  CHECK(Selection::parse("!(mem>64000) && slots==16")->resources().empty());
}

TEST_CASE("a requirement whose normal form would be too long to be read is refused") {
  std::string text = "a";
  while (text.size() < 8000) text += "||a";
  const auto selection = Selection::parse(text);
  REQUIRE_FALSE(selection);
  CHECK_THAT(selection.error().message, Catch::Contains("blanks round && and ||"));
  CHECK(Selection::parse(text.substr(0, 4000)));
}

TEST_CASE("no text crashes the reading of requirements") {
  CHECK(rc::check([](const std::string& text) {
    const auto selection = Selection::parse(text);
    if (selection) RC_ASSERT(Selection::parse(selection->text()).has_value());
  }));
  CHECK(rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("(", ")", "!", "&&", "||", "==", "<", "mem", "type", "any",
                                      "5", "1.5", "select[", "]", "'", "ssd", " "));
    std::string text;
    for (const auto& word : words) text += word;
    const auto selection = Selection::parse(text);
    if (!selection) {
      RC_ASSERT(!selection.error().message.empty());
      RC_ASSERT(selection.error().column >= 1);
      RC_ASSERT(selection.error().column <= static_cast<int>(text.size()) + 1);
    } else {
      RC_ASSERT(*Selection::parse(selection->text()) == *selection);
    }
  }));
}
