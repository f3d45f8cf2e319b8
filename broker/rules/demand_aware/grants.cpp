#include "broker/rules/demand_aware/grants.hpp"

#include <algorithm>
#include <utility>

#include "broker/rules/demand_aware/back_off.hpp"
#include "common/canary.hpp"

namespace leasehold::demand_aware {

namespace {

bool is_over(const View& view, const Grant& grant, Instant use_by) {
  const bool late = view.now >= use_by && !LEASEHOLD_CANARY(keeps_the_unused);
  return grant.unused == 0 || late;
}

void back_off(const View& view, Ledger& ledger, const Grant& grant) {
  const Delay delay{view.now, view.settings.delay_ms};
  bool any_new = false;
  for (const Shape& shape : grant.shapes) {
    const auto same = [&](const BackOff& one) {
      return one.member == grant.to && one.shape == shape;
    };
    any_new = any_new || std::none_of(ledger.back_offs.begin(), ledger.back_offs.end(), same);
  }
  for (const Shape& shape : grant.shapes) back_off_from(ledger.back_offs, grant.to, shape, delay);
  if (any_new && grant.to == kConsumer) back_off_as_a_whole(ledger.in_vain, delay);
}

/// Some of it was used.
void forget_back_offs(Ledger& ledger, const Grant& grant) {
  std::erase_if(ledger.back_offs, [&](const BackOff& one) {
    return one.member == grant.to &&
           std::count(grant.shapes.begin(), grant.shapes.end(), one.shape) > 0;
  });
  ledger.in_vain.failed[grant.to] = false;
  if (grant.to == kConsumer) ledger.in_vain = {ledger.in_vain.failed};
}

void end_grant(const View& view, Ledger& ledger, const Grant& grant) {
  if (2 * int64_t{grant.unused} >= grant.slots && grant.unused > 0) {
    back_off(view, ledger, grant);
  } else {
    forget_back_offs(ledger, grant);
  }
  if (grant.to == kConsumer) ledger.left_unused += grant.unused;
}

}  // namespace

Instant use_by(const Settings& settings, const Ledger& ledger) {
  const bool there = ledger.pace.moving.ms == INT64_MIN;
  return there ? use_by(settings, ledger.grant) : ledger.grant.at + settings.use_by_ms;
}

Instant use_by(const Settings& settings, const Grant& arrived) {
  const bool brief = settings.provider_first && arrived.to == kConsumer;
  return arrived.at +
         (brief ? std::min(settings.use_by_ms, settings.delay_ms) : settings.use_by_ms);
}

int64_t still_granted(const Ledger& ledger, uint8_t member) {
  int64_t slots = ledger.grant.to == member ? ledger.grant.unused : 0;
  if (member != kConsumer) return slots;
  for (const Grant& one : ledger.earlier) slots += one.unused;
  return slots;
}

void end_grants(const View& view, Ledger& ledger, int64_t on_way) {
  const auto over = [&view](const Grant& one) {
    return is_over(view, one, use_by(view.settings, one));
  };
  for (const Grant& one : ledger.earlier) {
    if (over(one)) end_grant(view, ledger, one);
  }
  std::erase_if(ledger.earlier, over);
  Grant& grant = ledger.grant;
  if (grant.to == kNobody || (grant.to == kProvider && on_way > 0)) return;
  if (!is_over(view, grant, use_by(view.settings, ledger))) return;
  end_grant(view, ledger, grant);
  grant = {};
}

std::vector<RowSlots> last_idle(const View& view, uint8_t member, int64_t slots) {
  std::vector<RowSlots> last;
  for (auto row = static_cast<uint32_t>(view.rows.size()); row > 0 && slots > 0; --row) {
    const int32_t idle = view.rows[row - 1].idle[member];
    if (view.rows[row - 1].whole && idle > slots) continue;
    const auto some = static_cast<int32_t>(std::min<int64_t>(slots, idle));
    if (some <= 0) continue;
    last.insert(last.begin(), {row - 1, some});
    slots -= some;
  }
  return last;
}

void replace_grant(const View& view, Ledger& ledger, Grant grant) {
  if (ledger.grant.to == kConsumer) {
    std::vector<Grant>& earlier = ledger.earlier;
    if (earlier.size() == kEarlierMost) {
      end_grant(view, ledger, earlier.front());
      earlier.erase(earlier.begin());
    }
    earlier.push_back(std::move(ledger.grant));
  }
  ledger.grant = std::move(grant);
}

}  // namespace leasehold::demand_aware
