// If LEASEHOLD_STEPS names a file, every played site of this test program (support/site.hpp) writes
// its steps there. Sites of very many groups are left out: each step has the whole state.
#include <cstdlib>

#include "broker/record/event_codec.hpp"
#include "broker/record/state_bytes.hpp"
#include "tests/support/site.hpp"
#include "tests/two_cores/steps.hpp"

namespace leasehold::test {
namespace {

constexpr size_t kGroupsMost = 32;
constexpr size_t kRowsMost = 400;

bool is_small(const State& state) {
  size_t rows = 0;
  for (const SlotGroup& group : state.slot_groups) rows += group.holdings.size();
  return state.slot_groups.size() <= kGroupsMost && rows <= kRowsMost;
}

void keep(const State& state, const Event& event, Instant now) {
  static std::ofstream out(std::getenv("LEASEHOLD_STEPS"), std::ios::binary);
  if (!is_small(state)) return;
  two_cores::Step kept{now.ms, {}, {}};
  encode_event(event, kept.event);
  encode_state(state, kept.state);
  two_cores::write_step(out, kept);
}

const bool kKeeps = [] {
  if (std::getenv("LEASEHOLD_STEPS") != nullptr) Site::before_any_step = keep;
  return true;
}();

}  // namespace
}  // namespace leasehold::test
