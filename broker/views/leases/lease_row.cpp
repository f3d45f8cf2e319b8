// The row of a lease, as `leases` and `lease` show it (schema/json/leases.schema.json).
#include <algorithm>

#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/lists/row_text.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

/// The lease that a list of leases has come to, with what several fields need.
struct ListedLease {
  const State& state;
  LeaseFacts& facts;
  LeaseRef ref = {};
  const SlotGroup* group = nullptr;
  // By count(); filters do without:
  LeaseFacts::Kind kind = {};
  Totals totals = {};
  LeaseFacts::SlotsDown down = {};
  int32_t in_transfer = 0;
  mutable std::string made = {};  // the text of the field that was made last

  std::string_view keep(std::string text) const { return made = std::move(text); }
  void count() {
    kind = facts.kind(ref);
    totals = facts.totals(ref);
    down = facts.slots_down(ref);
    in_transfer = facts.in_transfer(ref);
  }
  const Cluster& cluster(size_t member) const {
    return state.clusters[group->members[member].cluster];
  }
  std::string_view name(size_t member) const { return cluster(member).name; }
  std::string_view policy() const { return state.policies[group->policy].config.name; }
  std::string id() const { return lease_id(state, *group, ref.member); }
};

/// Returns null for "never yet" and for "never".
Scalar time_of(const ListedLease& lease, Instant at) {
  if (at.ms == INT64_MIN || at == kNever) return nullptr;
  return lease.keep(format_utc(at));
}

Scalar pending_of(const Cluster& of) {
  if (of.contact != Contact::ok) return nullptr;
  return of.pending;
}

Scalar idle_of(int32_t available, int32_t used) {
  return std::max(0, available - used);
}

/// Returns "provider/consumer", the work that waits at each.
std::string wanted_cell(const Json& row, const char*) {
  return columns::at_name(row, "pending.provider") + "/" +
         columns::at_name(row, "pending.consumer");
}

std::string provider_cell(const Json& row, const char*) {
  return columns::slots(row, "provider_slots");
}
std::string consumer_cell(const Json& row, const char*) {
  return columns::slots(row, "consumer_slots");
}

constexpr Field<ListedLease, Scalar> kLeaseFields[] = {
    {{"id", "LEASE"}, [](auto& l) { return l.keep(l.id()); }},
    {{"policy", "POLICY", kLeft, kOnlyWide}, [](auto& l) { return l.policy(); }},
    {{"group"}, [](auto& l) { return l.keep(l.facts.group_name(l.ref)); }},
    {{"provider", "PROVIDER"}, [](auto& l) { return l.name(kProvider); }},
    {{"consumer", "CONSUMER"}, [](auto& l) { return l.name(l.ref.member); }},
    {{"type", "TYPE", kLeft, kOnlyWide}, [](auto& l) { return l.kind.type; }},
    {{"rule", "RULE", kLeft, kOnlyWide}, [](auto& l) { return l.kind.rule; }},
    {{"phase", "PHASE", kStatus}, [](auto& l) { return token(l.group->phase); }},
    {{"epoch", "EPOCH", kRight, kOnlyWide}, [](auto& l) { return l.group->epoch; }},
    {{"slots", "SLOTS", kRight, kOnlyWide}, [](auto& l) { return exported(*l.group); }},
    {{"in_transfer"}, [](auto& l) { return l.in_transfer; }},
    {{"moving", "MOVING", kRight},
     [](auto& l) { return l.in_transfer + l.facts.asked_for(l.ref); }},
    {{"provider_slots.available"}, [](auto& l) { return l.totals.provider_available; }},
    {{"provider_slots.used", "USED/AVAIL", kRight, 0, provider_cell},
     [](auto& l) { return l.totals.provider_used; }},
    {{"provider_slots.idle"},
     [](auto& l) { return idle_of(l.totals.provider_available, l.totals.provider_used); }},
    {{"consumer_slots.available"}, [](auto& l) { return l.totals.consumer_available; }},
    {{"consumer_slots.used", "USED/AVAIL", kRight, 0, consumer_cell},
     [](auto& l) { return l.totals.consumer_used; }},
    {{"consumer_slots.idle"},
     [](auto& l) { return idle_of(l.totals.consumer_available, l.totals.consumer_used); }},
    {{"slots_down.provider"}, [](auto& l) { return l.down.provider; }},
    {{"slots_down.consumer"}, [](auto& l) { return l.down.consumer; }},
    {{"pending.provider", "WANTED", kRight, kOnlyWide, wanted_cell},
     [](auto& l) { return pending_of(l.cluster(kProvider)); }},
    {{"pending.consumer"}, [](auto& l) { return pending_of(l.cluster(l.ref.member)); }},
    {{"last_flip", "LAST FLIP", kLeft, kOnlyWide, columns::time},
     [](auto& l) { return time_of(l, l.facts.last_flip(l.ref)); }},
    {{"next_evaluation", "NEXT EVALUATION", kLeft, 3, columns::time},
     [](auto& l) { return time_of(l, l.facts.next_evaluation(l.ref)); }},
    {{"reason", "REASON", kLeft, 1}, [](auto& l) { return token(l.facts.reason(l.ref)); }},
    {{"flips", "FLIPS", kRight, 2}, [](auto& l) { return l.facts.flips(l.ref); }},
    {{"mode"}, [](auto& l) { return rows::mode_word(l.state); }},
    {{"frozen"}, [](auto& l) { return l.state.frozen; }},
};

struct HiddenWords {
  std::string_view path;
  void (*each)(const ListedLease& lease, const WordVisit& visit);
};

void each_host(const ListedLease& lease, const std::function<void(size_t host)>& visit) {
  for (size_t host = 0; host < lease.group->hosts.size(); ++host) {
    if (lease.group->hosts[host].exported > 0) visit(host);
  }
}

/// Filters look at these too, which JSON does not show: the path of a plan's leaf, and the hosts
/// whose slots the lease has.
constexpr HiddenWords kHiddenWords[] = {
    {"path",
     [](const ListedLease& l, const WordVisit& visit) {
       if (const auto path = l.facts.path(l.ref); !path.empty()) visit(path);
     }},
    {"host",
     [](const ListedLease& l, const WordVisit& visit) {
       each_host(l, [&](size_t host) { visit(rows::facts(l.state, *l.group, host).name); });
     }},
    {"host@provider",
     [](const ListedLease& l, const WordVisit& visit) {
       each_host(l, [&](size_t host) { visit(rows::host_at(l.state, *l.group, host)); });
     }},
};

/// Goes from lease to lease. It refers to the state, which must not change meanwhile.
class LeaseRow final : public ListedRow {
 public:
  explicit LeaseRow(const State& state) : facts_(state), lease_{state, facts_} {}

  void go(const LeaseRef& ref) {
    lease_.ref = ref;
    lease_.group = &lease_.state.slot_groups[ref.group];
  }
  void each_word(std::string_view path, const WordVisit& visit) const override {
    for (const HiddenWords& words : kHiddenWords) {
      if (path == words.path) return words.each(lease_, visit);
    }
    for (const auto& field : kLeaseFields) {
      if (path != field.name) continue;
      const Scalar value = field.value(lease_);
      if (value.kind == Scalar::Kind::text) visit(value.text);
    }
  }
  std::string key() const override { return lease_.id(); }
  Json json() override {
    lease_.count();
    return row_json(kLeaseFields, lease_);
  }
  void append_to(std::string& text) override {
    lease_.count();
    text += text_.write(kLeaseFields, lease_);
  }

 private:
  LeaseFacts facts_;
  ListedLease lease_;
  RowText text_{kLeaseFields};
};

}  // namespace

std::span<const columns::Column> lease_fields() {
  return shown_of<kLeaseFields>();
}

Json view_lease_row(const State& state, LeaseRef lease) {
  LeaseRow row(state);
  row.go(lease);
  return row.json();
}

void each_lease_row(const State& state, const RowVisit& visit) {
  LeaseRow row(state);
  for_each_lease(state, [&](const LeaseRef& lease) {
    row.go(lease);
    visit(row);
  });
}

Json view_leases(const State& state) {
  Json list = Json::array();
  each_lease_row(state, [&](ListedRow& row) { list.push_back(row.json()); });
  return list;
}

}  // namespace leasehold
