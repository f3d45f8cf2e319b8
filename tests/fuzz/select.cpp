// select reads any text as a resource requirement and applies it to hosts of many kinds.
#include "broker/rules/select/select.hpp"

#include <vector>

#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

wire::HostFacts host(const std::string& type, int32_t slots, int64_t mem_mb) {
  wire::HostFacts facts;
  facts.name = "big1";
  facts.type = type;
  facts.model = "Xeon E5";
  facts.slots = slots;
  facts.mem_mb = mem_mb;
  facts.swap_mb = mem_mb / 2;
  return facts;
}

const std::vector<wire::HostFacts>& hosts() {
  static const std::vector<wire::HostFacts> all = [] {
    std::vector<wire::HostFacts> made{host("LINUX64", 16, 64'000), host("", 0, 0),
                                      host("any", INT32_MAX, INT64_MAX),
                                      host("NTX64", INT32_MIN, INT64_MIN)};
    made[0].booleans = {"ssd", "bigmem"};
    made[0].numbers_milli = {{"simlic", 2'500}, {"gpus", 0}};
    made[2].numbers_milli = {{"ssd", INT64_MAX}, {"gpus", INT64_MIN}};
    return made;
  }();
  return all;
}

/// The requirement read from `text`, which must be one where it is short and shallow enough.
std::optional<Selection> derived(const std::string& text) {
  Result<Selection> selection = Selection::parse(text);
  if (!selection) return std::nullopt;  // nested too deep, or too long, by what was put round it
  return *std::move(selection);
}

void check_logic(const Selection& selection) {
  const std::string text = selection.text();
  const auto negated = derived("!(" + text + ")");
  const auto never = derived("(" + text + ") && !(" + text + ")");
  const auto always = derived(text + " || !(" + text + ")");
  for (const wire::HostFacts& facts : hosts()) {
    const bool matches = selection.matches(facts);
    LEASEHOLD_CHECK(!negated || negated->matches(facts) != matches, "! turns every answer round");
    LEASEHOLD_CHECK(!never || !never->matches(facts), "no host matches and does not");
    LEASEHOLD_CHECK(!always || always->matches(facts), "every host matches or does not");
  }
}

void check_selection(const Selection& selection) {
  const Result<Selection> again = Selection::parse(selection.text());
  LEASEHOLD_CHECK(again.has_value(), "the normal form can be read");
  LEASEHOLD_CHECK(*again == selection, "and means the same");
  LEASEHOLD_CHECK(again->text() == selection.text(), "and has itself as normal form");
  for (const wire::HostFacts& facts : hosts()) {
    const uint64_t before = fuzz::allocated_bytes();
    const bool matches = selection.matches(facts);
    LEASEHOLD_CHECK(fuzz::allocated_bytes() == before, "matching allocates nothing");
    LEASEHOLD_CHECK(again->matches(facts) == matches, "equal requirements match the same hosts");
  }
  check_logic(selection);
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  const auto selection = Selection::parse(fuzz::text_of({data, size}));
  if (selection) {
    check_selection(*selection);
  } else {
    fuzz::check_error(selection.error(), size);
    LEASEHOLD_CHECK(selection.error().code == ErrorCode::usage, "bad text is bad usage");
    LEASEHOLD_CHECK(selection.error().column >= 1, "an error has a column");
  }
  return 0;
}
