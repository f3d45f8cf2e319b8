#include "broker/views/request/request.hpp"

#include <array>
#include <string_view>

namespace leasehold {

namespace {

using F = RequestField;

constexpr std::array kFields{
    RequestFieldRow{F::lease, &Request::lease, "lease", "--lease", "LEASE", "of this lease alone",
                    "POLICY:CONSUMER, or GROUP:/PATH of a plan"},
    RequestFieldRow{F::cluster, &Request::cluster, "cluster", "--cluster", "CLUSTER",
                    "this one alone", "the cluster's name"},
    RequestFieldRow{F::host, &Request::host, "host", "", "HOST", "", "HOST@CLUSTER"},
    RequestFieldRow{F::file, &Request::file, "", "", "FILE", "", "a new file"},
    RequestFieldRow{F::exported, &Request::exported, "exported", "-e,--exported", "",
                    "only hosts that are exported"},
    RequestFieldRow{F::details, &Request::details, "details", "-l,--long", "",
                    "every effective value and where it comes from; of clusters what their work "
                    "looks like"},
    RequestFieldRow{F::at, &Request::at, "at", "--at", "TIME",
                    "as it was then: 2026-11-21T17:00:00Z, 2h (ago), yesterday, tue 15:00"},
    RequestFieldRow{F::limit, &Request::limit, "limit", "-n,--limit", "N",
                    "only the newest so many rows"},
    RequestFieldRow{F::follow, &Request::follow, "", "-f,--follow", "",
                    "keep printing new rows; with --json a row a line"},
    RequestFieldRow{F::csv, &Request::csv, "", "--csv", "", "as CSV"},
    RequestFieldRow{F::since, &Request::since, "since", "--since", "TIME",
                    "not before: 2026-11-21T17:00:00Z, 2h (ago), yesterday, tue 15:00"},
    RequestFieldRow{F::until, &Request::until, "until", "--until", "TIME", "before: the same"},
    RequestFieldRow{F::half, &Request::half, "half"},
    RequestFieldRow{F::consumer, &Request::consumer, "consumer", "--for", "CONSUMER",
                    "for this consumer alone: a cluster, or the path of a plan's leaf"},
    RequestFieldRow{F::reclaim, &Request::reclaim, "reclaim", "--reclaim", "",
                    "end leased work there after its grace"},
    RequestFieldRow{F::wait, &Request::wait, "", "--wait", "",
                    "until no leased slot is left; says how many are"},
    RequestFieldRow{F::reason, &Request::reason, "reason", "--reason", "TEXT",
                    "why; kept and shown"},
    RequestFieldRow{F::order_begin, &Request::order_begin, "from", "--from", "TIME",
                    "the order begins then, not at once: a time as of --until"},
    RequestFieldRow{F::order_end, &Request::order_end, "until", "--until", "TIME",
                    "the order ends then: 2026-11-22T18:00:00Z, 2h (from now), fri 18:00"},
    RequestFieldRow{F::order_length, &Request::order_length, "", "--for", "DURATION",
                    "instead of --until: it lasts so long"},
    RequestFieldRow{F::yes, &Request::yes, "", "--yes", "", "do not ask"},
    RequestFieldRow{F::dry_run, &Request::dry_run, "", "--dry-run", "",
                    "show what would change; exit 1 if anything would"},
    RequestFieldRow{F::after, &Request::after, "after"},
    RequestFieldRow{F::newest, &Request::newest, "newest"},
    RequestFieldRow{F::part, &Request::part, "part"},
    RequestFieldRow{F::preview, &Request::preview, "preview"},
    RequestFieldRow{F::apply, &Request::apply, "apply"},
    RequestFieldRow{F::fingerprint, &Request::fingerprint, "fingerprint"},
    RequestFieldRow{F::of_cluster, &Request::cluster_like, "cluster", "--cluster", "CLUSTER",
                    "only rows of this cluster, or of those that a pattern matches: * ? []",
                    "only this cluster, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_provider, &Request::provider_like, "provider", "--provider", "CLUSTER",
                    "only rows with this provider, or a pattern"},
    RequestFieldRow{F::of_consumer, &Request::consumer_like, "consumer", "--consumer", "CONSUMER",
                    "only rows with this consumer, or a pattern",
                    "only this consumer, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_policy, &Request::policy_like, "policy", "--policy", "POLICY",
                    "only rows of this policy, or a pattern",
                    "only this policy, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_phase, &Request::phase_like, "phase", "--phase", "PHASE",
                    "only rows in this phase, or a pattern"},
    RequestFieldRow{F::of_reason, &Request::reason_like, "reason", "--reason", "REASON",
                    "only rows with this reason, or a pattern"},
    RequestFieldRow{
        F::of_host, &Request::host_like, "host", "--host", "HOST",
        "only rows with this host, HOST or HOST@CLUSTER, or a pattern",
        "only this host, HOST or HOST@CLUSTER, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_lease, &Request::lease_like, "id", "", "LEASE", "",
                    "only this lease, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_group, &Request::group_like, "resource_group", "", "GROUP", "",
                    "only this resource group, or those that a pattern matches: * ? []"},
    RequestFieldRow{F::of_kind, &Request::kind_like, "kind", "--kind", "KIND",
                    "only rows of this kind, or of those that a pattern matches: * ? []"},
    RequestFieldRow{F::sort, &Request::sort, "", "--sort", "FIELD,...",
                    "in the order of these fields of the JSON, as slots.own; -FIELD: descending"},
    RequestFieldRow{F::output, &Request::output, "", "-o,--output", "FORM",
                    "table (default) or json; of rows also wide: every column, uncut; name: ids "
                    "alone; csv; or FIELD,...: these fields of the JSON"},
    RequestFieldRow{F::summary, &Request::summary, "", "--summary", "",
                    "a line instead of the rows: how many, sums of slots, how many of each kind"},
    RequestFieldRow{F::no_header, &Request::no_header, "", "--no-header", "",
                    "rows alone: no titles, nothing below them"},
    RequestFieldRow{F::slots, &Request::slots, "slots", "--slots", "N",
                    "how many are wanted (default 1)"},
    RequestFieldRow{F::provider_side, &Request::provider_side, "provider", "--provider", "",
                    "of a lease: when its provider has so many of them"},
    RequestFieldRow{F::successor, &Request::successor, "successor", "--to", "BROKER",
                    "this one alone takes over at once", "the broker's name"},
    RequestFieldRow{F::force, &Request::force, "", "--force", "",
                    "also where no standby is known to have the leader's log to within a second"},
    RequestFieldRow{F::whose, &Request::whose, "whose", "--by", "WHOSE",
                    "borrowed slots by whose work used them: user, account, session or "
                    "user-account"},
};

constexpr bool questions_in_order() {
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (static_cast<size_t>(kFields[i].field) != i) return false;
  }
  return true;
}
static_assert(questions_in_order());

}  // namespace

std::span<const RequestFieldRow> request_fields() {
  return kFields;
}
const RequestFieldRow& request_field(RequestField field) {
  return kFields[static_cast<size_t>(field)];
}

std::string option_name(const RequestFieldRow& field) {
  const std::string_view names = field.option;
  return std::string(names.substr(names.rfind(',') + 1));
}

const char* half_text(DrainSide half) {
  return half == DrainSide::exports ? "only what it exports" : "only what it imports";
}

}  // namespace leasehold
