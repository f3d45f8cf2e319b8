// Request: what an operator asks of a broker or of a database, typed, and what each field is
// called. Which fields a command takes: catalogue.hpp. As JSON: request_json.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "broker/core/model/event.hpp"
#include "common/instant.hpp"

namespace leasehold {

class Branch;
struct RequestRow;

/// The end of an order: a time, or a duration from the broker's now.
struct OrderEnd {
  std::string said;     // as it was written; "": no end
  Instant at = kNever;  // the same, as whoever reads it understands it
  bool operator==(const OrderEnd&) const = default;
};

struct Request {
  std::string command;              // as it was said
  const RequestRow* row = nullptr;  // of the catalogue; nullptr: there is no such command
  std::string by;                   // who asks, by their own word
  bool parts = false;               // a long answer may come as several messages
  // What it is about.
  std::string lease;
  std::string cluster;
  std::string host;  // "big1@east"
  std::string file;  // of leasectl alone
  // Of questions.
  bool exported = false;
  bool details = false;
  std::optional<Instant> at;
  std::optional<int64_t> limit;
  std::optional<int64_t> after;  // rows of the history behind this one
  bool newest = false;           // the last `limit` of them
  std::optional<int64_t> part;   // backup: of the base behind `after`
  std::optional<Instant> since;
  std::optional<Instant> until;
  std::optional<int64_t> slots;  // forecast: so many
  bool provider_side = false;    // forecast: of a lease, its provider's
  // Patterns that rows must match (lists/filter.hpp); "": any row does.
  std::string cluster_like;
  std::string provider_like;
  std::string consumer_like;
  std::string policy_like;
  std::string phase_like;
  std::string reason_like;
  std::string host_like;
  std::string lease_like;
  std::string group_like;
  std::string kind_like;
  /// The one branch of the consumer tree that the asker sees; nullptr: everything.
  std::shared_ptr<const Branch> branch;
  // Of orders.
  Half half = Half::both;
  std::string consumer;
  bool reclaim = false;
  std::string reason;
  OrderEnd order_end;
  std::string successor;    // stepdown: the broker whose turn it is
  bool preview = false;     // forget: tell what it would do
  bool apply = false;       // reload: do it
  std::string fingerprint;  // reload: of what was shown
  // Of leasectl alone: they are not sent.
  bool follow = false;
  bool csv = false;
  bool wait = false;
  bool yes = false;
  bool force = false;
  bool dry_run = false;
  std::string sort;    // "-flips,id"
  std::string output;  // "wide", "name", "csv", "json" or fields; "": a table
  bool summary = false;
  bool no_header = false;
  bool operator==(const Request&) const = default;
};

/// What a request may name besides its command, in the order of the help.
enum class RequestField : uint8_t {
  lease,
  cluster,
  host,
  file,
  exported,
  details,
  at,
  limit,
  follow,
  csv,
  since,
  until,
  half,
  consumer,
  reclaim,
  wait,
  reason,
  order_end,
  yes,
  dry_run,
  after,
  newest,
  part,
  preview,
  apply,
  fingerprint,
  of_cluster,
  of_provider,
  of_consumer,
  of_policy,
  of_phase,
  of_reason,
  of_host,
  of_lease,
  of_group,
  of_kind,
  sort,
  output,
  form,
  summary,
  no_header,
  slots,
  provider_side,
  successor,
  force,
};

/// Of RequestField.
using RequestFields = uint64_t;
template <class... Each>
constexpr RequestFields takes(Each... fields) {
  return ((RequestFields{1} << static_cast<unsigned>(fields)) | ... | RequestFields{0});
}

using RequestPlace =
    std::variant<std::string Request::*, bool Request::*, std::optional<Instant> Request::*,
                 std::optional<int64_t> Request::*, Half Request::*, OrderEnd Request::*>;

/// One field: what it is called in JSON and by leasectl, and where it stands in a Request.
struct RequestFieldRow {
  RequestField field;
  RequestPlace place;
  const char* key;           // in JSON; "": it is not sent
  const char* option = "";   // "--for"; "": leasectl offers none
  const char* value = "";    // of the option, and where it is what the command is about: "LEASE"
  const char* what = "";     // for --help, as an option
  const char* subject = "";  // the same, where it is what the command is about
};
/// In the order of RequestField.
std::span<const RequestFieldRow> request_fields();
const RequestFieldRow& request_field(RequestField field);
/// The long name of its option: "--limit" of "-n,--limit"; "": leasectl offers none.
std::string option_name(const RequestFieldRow& field);
/// Of Half: "what it exports alone".
const char* half_text(Half half);

}  // namespace leasehold
