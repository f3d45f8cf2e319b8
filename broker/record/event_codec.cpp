#include "broker/record/event_codec.hpp"

#include <algorithm>

#include "broker/record/event_codec_fields.hpp"

namespace leasehold {

namespace {

using bytes::kept_all;

static_assert(kept_all<Interval>() && kept_all<Source>() && kept_all<Share>());
static_assert(kept_all<WeekWindow>() && kept_all<ClusterConfig>() && kept_all<ExportPolicy>());
static_assert(kept_all<SharedResource>() && kept_all<BrokerConfig>());
static_assert(kept_all<ConsumerList>() && kept_all<PlanConsumer>() && kept_all<Plan>());
static_assert(kept_all<PlanChange>() && kept_all<ResourceGroup>() &&
              kept_all<ResolvedWindows::PlanPeriod>());
static_assert(kept_all<ResolvedWindows::PlanWindows>());
static_assert(kept_all<ResolvedWindows>() && kept_all<ResolvedWindows::PolicyWindows>());
static_assert(kept_all<wire::HostState>() && kept_all<wire::GroupState>());
static_assert(kept_all<wire::StateBlock>() && kept_all<wire::Fences>());
static_assert(kept_all<wire::Horizon>() && kept_all<wire::HostFacts>() &&
              kept_all<wire::Identity>());
static_assert(kept_all<wire::DemandBucket>() && kept_all<wire::EndingSlots>());
static_assert(kept_all<wire::Ending>() && kept_all<wire::EndedWork>());
static_assert(kept_all<wire::UsedSlots>() && kept_all<wire::UsedBy>());

template <class... Kinds>
constexpr bool kept_all_of(const std::variant<Kinds...>*) {
  return (kept_all<Kinds>() && ...);
}
static_assert(kept_all_of(static_cast<const Event*>(nullptr)));

constexpr size_t kKinds = std::variant_size_v<Event>;
template <size_t I = 0>
bool read_kind(size_t kind, const msgpack::object& from, bytes::Unpacker& unpacker, Event& event) {
  if constexpr (I == kKinds) {
    return unpacker.wrong("a known kind of event");
  } else {
    if (kind != I) return read_kind<I + 1>(kind, from, unpacker, event);
    return unpacker.get(from, event.emplace<I>());
  }
}

/// True if the block's groups name existing rows: hosts_of() relies on it.
bool holds_together(const wire::StateBlock& block) {
  for (const wire::GroupState& group : block.groups) {
    if (uint64_t{group.first} + group.count > block.hosts.size()) return false;
  }
  return true;
}

bool names_consumers(const std::optional<ConsumerList>& list, size_t consumers) {
  return !list || std::all_of(list->consumers.begin(), list->consumers.end(),
                              [&](uint32_t named) { return named < consumers; });
}

/// True if the consumers form a tree, the same one as that of `first`.
bool holds_together(const Plan& plan, const Plan& first) {
  const size_t size = plan.consumers.size();
  if (size != first.consumers.size()) return false;
  for (size_t i = 0; i < size; ++i) {
    const PlanConsumer& consumer = plan.consumers[i];
    if (consumer.path != first.consumers[i].path) return false;
    if (consumer.parent != first.consumers[i].parent) return false;
    if (consumer.parent != kNoIndex && consumer.parent >= i) return false;
    if (!names_consumers(consumer.lend_to, size)) return false;
    if (!names_consumers(consumer.borrow_from, size)) return false;
  }
  return true;
}

bool holds_together(const ResourceGroup& group, const ResolvedWindows& windows) {
  if (group.variants.empty()) return false;
  for (const Plan& plan : group.variants) {
    if (!holds_together(plan, group.variants.front())) return false;
  }
  for (const PlanChange& change : group.week) {
    if (change.variant >= group.variants.size()) return false;
  }
  for (const ResolvedWindows::PlanWindows& plan : windows.plans) {
    if (plan.resource_group != group.name) continue;
    for (const ResolvedWindows::PlanPeriod& period : plan.periods) {
      if (period.variant >= group.variants.size()) return false;
    }
  }
  return true;
}

bool holds_together(const Event& event) {
  if (const auto* loaded = std::get_if<ConfigLoaded>(&event)) {
    return plans_hold_together(loaded->config, loaded->windows);
  }
  if (const auto* hello = std::get_if<AgentHello>(&event)) return holds_together(hello->state);
  if (const auto* state = std::get_if<StateReported>(&event)) return holds_together(state->state);
  return true;
}

bool read_event(const msgpack::object& from, bytes::Unpacker& unpacker, Event& event) {
  int version = 0;
  size_t kind = 0;
  if (!unpacker.is_array(from, 3) || !unpacker.get(from.via.array.ptr[0], version)) return false;
  if (version != kEventVersion) {
    return unpacker.wrong("event version " + std::to_string(kEventVersion) + ", found " +
                          std::to_string(version));
  }
  if (!unpacker.get(from.via.array.ptr[1], kind)) return false;
  if (!read_kind(kind, from.via.array.ptr[2], unpacker, event)) return false;
  if (holds_together(event)) return true;
  return unpacker.wrong(std::holds_alternative<ConfigLoaded>(event)
                            ? "plans whose consumers and windows are there"
                            : "hosts for every group of a report");
}

}  // namespace

void encode_event(const Event& event, std::string& out) {
  bytes::Packer packer(out);
  packer.array(3);
  packer.put(kEventVersion);
  packer.put(event.index());
  std::visit([&](const auto& value) { packer.put(value); }, event);
}

Result<Event> decode_event(std::string_view from) {
  Event event;
  const Status done = bytes::unpack("an event", from,
                                    [&](const msgpack::object& object, bytes::Unpacker& unpacker) {
                                      return read_event(object, unpacker, event);
                                    });
  if (!done) return tl::unexpected(done.error());
  return event;
}

bool plans_hold_together(const BrokerConfig& config, const ResolvedWindows& windows) {
  return std::all_of(config.resource_groups.begin(), config.resource_groups.end(),
                     [&](const ResourceGroup& group) { return holds_together(group, windows); });
}

const char* input_token(const Event& event) {
  return kInputTokens[event.index()];
}

std::string_view by_whom(const Event& event) {
  return std::visit(
      [](const auto& input) -> std::string_view {
        if constexpr (requires { input.by; }) return input.by;
        return {};
      },
      event);
}

std::string_view cluster_of(const Event& event) {
  return std::visit(
      [](const auto& input) -> std::string_view {
        if constexpr (requires { input.cluster; }) return input.cluster;
        return {};
      },
      event);
}

}  // namespace leasehold
