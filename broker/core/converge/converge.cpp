#include "broker/core/converge/converge.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "broker/core/exports/offer.hpp"
#include "broker/core/exports/returns.hpp"
#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

struct Steps {
  bool again = false;
  std::optional<HandOut> hand_out = {};
  MembersToCheck ask_back = MembersToCheck::changed;
};

/// By cause, in the order of the enum, as the table in the header says. All ask back and offer.
constexpr auto kSteps = std::to_array<Steps>({
    {.again = true, .hand_out = HandOut::all, .ask_back = MembersToCheck::all},
    {.hand_out = HandOut::all, .ask_back = MembersToCheck::all},
    {.ask_back = MembersToCheck::all},
    {.hand_out = HandOut::named},
    {},
});
static_assert(kSteps.size() == kCauseCount, "each cause has its row");

/// Returns all steps that any of the causes calls for.
Steps steps_of(const Mark& mark) {
  Steps all;
  for (int cause = 0; cause < kCauseCount; ++cause) {
    if (!mark.has(static_cast<Cause>(cause))) continue;
    const Steps& steps = kSteps[static_cast<size_t>(cause)];
    all.again = all.again || steps.again;
    all.hand_out = std::max(all.hand_out, steps.hand_out);
    all.ask_back = std::max(all.ask_back, steps.ask_back);
  }
  return all;
}

void order_again(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  for (size_t m = 0; m < group.members.size(); ++m) {
    const Member& member = group.members[m];
    const bool answered = member.seq_stated == member.seq || !connected(turn.state, group, m);
    if (answered || turn.now - member.ordered_at < turn.state.config.transfer_timeout_ms) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) group.at(row, m).confirmed = false;
    issue_order(turn, index, m);
  }
}

void converge(Turn& turn, const Mark& mark) {
  if (turn.group(mark.group).phase == Phase::closed) return;
  const Steps steps = steps_of(mark);
  if (steps.again) order_again(turn, mark.group);
  if (steps.hand_out) hand_out_in_transfer(turn, mark.group, *steps.hand_out);
  ask_back(turn, mark.group, steps.ask_back);
  offer(turn, mark.group);
}

}  // namespace

void converge_marked(Turn& turn) {
  for (const Mark& mark : turn.marks.take()) converge(turn, mark);
  for (const uint32_t provider : std::exchange(turn.raises, {}).all()) {
    raise_exports(turn, provider);
  }
}

}  // namespace leasehold
