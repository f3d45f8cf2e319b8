// Request: a typed question or order of an operator, to a broker or about a database, and the names
// of its fields. catalogue.hpp says which fields a command takes, request_json.hpp how a request is
// JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "broker/core/model/event.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

class Branch;
struct RequestRow;

/// When an order begins or ends: a time, or a duration from the broker's present.
struct OrderTime {
  std::string said;     // as it was written; "": at once, or no end
  Instant at = kNever;  // the same, resolved by its reader
  bool operator==(const OrderTime&) const = default;
};

struct Request {
  std::string command;              // as it was written
  const RequestRow* row = nullptr;  // in the catalogue; nullptr: there is no such command
  std::string by;                   // the operator's name, as he states it
  bool parts = false;               // a long answer may come as several messages
  // The subject of the request:
  std::string lease;
  std::string cluster;
  std::string host;  // "big1@east"
  std::string file;  // read by leasectl alone
  // Fields of questions:
  bool exported = false;
  bool details = false;
  std::optional<Instant> at;
  std::optional<int64_t> limit;
  std::optional<int64_t> after;  // only rows of the history after this one
  bool newest = false;           // the last `limit` of them
  std::optional<int64_t> part;   // backup: the part of the base after `after`
  std::optional<Instant> since;
  std::optional<Instant> until;
  std::optional<int64_t> slots;  // forecast: the number of slots
  bool provider_side = false;    // forecast: the slots are for the lease's provider
  std::string whose;             // usage: whose work used slots, as "user"; "": clusters
  // Patterns that rows must match (lists/filter.hpp); "" matches any row. `cluster_like` is the
  // value of RequestField::of_cluster, and so on.
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
  /// The one branch of the consumer tree that the operator may see; nullptr: he sees everything.
  std::shared_ptr<const Branch> branch;
  // Fields of orders:
  DrainSide half = DrainSide::both;  // drain, resume
  std::string consumer;
  bool reclaim = false;
  std::string reason;
  OrderTime order_begin;
  OrderTime order_end;
  std::string successor;    // stepdown: the broker that shall lead next
  bool preview = false;     // forget: only tell what it would do
  bool apply = false;       // reload: carry it out
  std::string fingerprint;  // reload: of the preview that was shown
  // Fields of leasectl alone, which are not sent:
  bool follow = false;
  bool csv = false;
  bool wait = false;
  std::string order_length;  // freeze --for: from its begin on; sent as its end
  bool yes = false;
  bool force = false;
  bool dry_run = false;
  std::string sort;    // "-flips,id"
  std::string output;  // "wide", "name", "csv", "json" or fields; "": a table
  bool summary = false;
  bool no_header = false;
  bool operator==(const Request&) const = default;
};

/// The fields that a request may have besides its command, in the order of the help.
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
  order_begin,
  order_end,
  order_length,
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
  summary,
  no_header,
  slots,
  provider_side,
  successor,
  force,
  whose,
};

/// A set of RequestField, one bit each.
using RequestFields = uint64_t;
template <class... Each>
constexpr RequestFields takes(Each... fields) {
  return ((RequestFields{1} << static_cast<unsigned>(fields)) | ... | RequestFields{0});
}

using RequestMember =
    std::variant<std::string Request::*, bool Request::*, std::optional<Instant> Request::*,
                 std::optional<int64_t> Request::*, DrainSide Request::*, OrderTime Request::*>;

/// One field: its names in JSON and in leasectl, and the member of Request that holds it.
struct RequestFieldRow {
  RequestField field;
  RequestMember place;
  const char* key;           // its JSON key; "": it is not sent
  const char* option = "";   // "--for"; "": leasectl offers none
  const char* value = "";    // "LEASE": shown as the option's value, and as the subject
  const char* what = "";     // for --help, as an option
  const char* subject = "";  // for --help, as the subject
};
/// Returns the fields, in the order of RequestField.
std::span<const RequestFieldRow> request_fields();
const RequestFieldRow& request_field(RequestField field);
/// Returns the long name of the option: "--limit" of "-n,--limit"; "": leasectl offers none.
std::string option_name(const RequestFieldRow& field);
/// Returns the side in words: "only what it exports".
const char* half_text(DrainSide half);

}  // namespace leasehold
