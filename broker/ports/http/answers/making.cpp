#include "broker/ports/http/answers/making.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/ports/operators/sources.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/metrics/text.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// Shorter answers gain nothing by compression.
constexpr size_t kGzipLeast = 1024;

/// The rows that were found, and the event after which they are true.
struct Found {
  Selected selected;
  AsOf of;
};

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string branch_of(const Inquiry& inquiry) {
  return inquiry.asker ? inquiry.asker->branch : "";
}

Result<Found> find_present(const Inquiry& inquiry, const Lookups& lookups) {
  const Notice& notice = inquiry.notice;
  PresentQuestion question{inquiry.route.request,
                           notice.event,
                           notice.now,
                           notice.liveness,
                           {},
                           notice.in_force->access,
                           inquiry.route.selection,
                           notice.leader_view.nobody.has_value()};
  question.sources = {policy_source_of(question.access->written),
                      plan_source_of(question.access->plans, notice.now)};
  Result<PresentAnswer> answer = lookups.present(question);
  if (!answer) return tl::unexpected(answer.error());
  return Found{{std::move(answer->json), std::move(answer->next)}, std::move(answer->as_of)};
}

/// A page of the history: its size is the limit asked for, at most [limits] history_rows. One row
/// more is asked for, as far as that goes, to know whether there is a next page.
struct HistoryPage {
  int64_t size = 0;  // 0: it is not paged
  int64_t rows_max = 0;

  static HistoryPage of(const Inquiry& inquiry) {
    const Request& request = inquiry.route.request;
    if (request.row->answered_by != AnsweredBy::history || request.newest) return {};
    const int64_t rows_max = inquiry.notice.in_force->access->limits.history_rows;
    return {std::min(std::max<int64_t>(request.limit.value_or(rows_max), 1), rows_max), rows_max};
  }
  Request wanted(Request request) const {
    if (size > 0) request.limit = std::min(size + 1, rows_max);
    return request;
  }
  std::optional<std::string> cut(Json& rows) const {
    const auto got = static_cast<int64_t>(rows.size());
    if (size == 0 || got < size || (got == size && size < rows_max)) return std::nullopt;
    rows.erase(rows.begin() + size, rows.end());
    return rows.back()["id"].dump();
  }
};

Request asked_of_past(const Inquiry& inquiry) {
  Request request = inquiry.route.request;
  // The answer ends now: while nothing changes no event would tell how long that lasted.
  if (request.row->over_time) {
    request.until = std::min(request.until.value_or(inquiry.notice.now), inquiry.notice.now);
  }
  return request;
}

Result<Found> find_past(const Inquiry& inquiry, const Lookups& lookups) {
  if (std::optional<Error> no = only_in_database(inquiry.notice.leader_view)) {
    return tl::unexpected(*std::move(no));
  }
  const Request request = asked_of_past(inquiry);
  const HistoryPage page = HistoryPage::of(inquiry);
  Result<Json> answer = lookups.past(page.wanted(request));
  if (!answer) {
    Error error = answer.error();
    if (error.code == ErrorCode::refused) error.code = ErrorCode::usage;  // of no right: of a time
    return tl::unexpected(std::move(error));
  }
  const std::optional<std::string> next = page.cut(*answer);
  Selected selected = select_from(*answer, request, inquiry.route.selection);
  if (next) selected.next = next;
  if (!request.at) {
    return Found{std::move(selected), {inquiry.notice.event, inquiry.notice.event_time}};
  }
  const Result<int64_t> event = lookups.event_at(*request.at);
  if (!event) return tl::unexpected(event.error());
  return Found{std::move(selected), {*event, *request.at}};
}

/// Finds the answer. For an asker who may see one branch alone it is checked first that the
/// question is about that branch, and errors name nothing outside it.
Result<Found> find(Inquiry inquiry, const Lookups& lookups) {
  Request& request = inquiry.route.request;
  if (const std::string path = branch_of(inquiry); !path.empty()) {
    Result<Branch> branch =
        lookups.branch(path, inquiry.notice.event, inquiry.notice.leader_view.nobody.has_value());
    if (!branch) return tl::unexpected(branch.error());
    request.branch = std::make_shared<const Branch>(*std::move(branch));
  }
  if (Status may = check_branch(request); !may) return tl::unexpected(may.error());
  Result<Found> found =
      is_of_past(inquiry) ? find_past(inquiry, lookups) : find_present(inquiry, lookups);
  if (!found) return tl::unexpected(hide_names_in_error(request, found.error()));
  return found;
}

std::string wrapped(const Found& found, const std::optional<NobodyLeads>& nobody) {
  const Json as_of{{"event", found.of.event}, {"time", format_utc(found.of.time)}};
  std::string text = R"({"as_of":)" + as_of.dump();
  if (nobody) text += R"(,"nobody_leads":)" + dumped(nobody_json(nobody));
  text += R"(,"result":)" + found.selected.json;
  if (found.selected.next) {
    text += R"(,"next":)" + dumped(*found.selected.next);
  }
  return text + "}\n";
}

/// The tag covers the result alone: a later event that leaves the result as it was keeps the tag.
std::string tag_of(const Found& found, const std::optional<NobodyLeads>& nobody) {
  std::string text = found.selected.json;
  if (found.selected.next) text += " " + *found.selected.next;
  return etag_of(nobody ? text + describe(*nobody) : text);
}

Reply reply_of(std::string text, std::string etag, const Inquiry& inquiry,
               const HeldBytes& held_bytes) {
  Reply reply;
  reply.etag = std::move(etag);
  reply.gzipped = inquiry.gzip && text.size() >= kGzipLeast;
  reply.kept = held(reply.gzipped ? gzipped(text) : std::move(text), held_bytes);
  return reply;
}

Json operator_json(const std::optional<Asker>& asker) {
  if (!asker) return nullptr;
  return {{"name", asker->name}, {"role", role_text(*asker)}};
}

Json counts_json(const HttpCounts& counts) {
  return {{"connections", counts.connections},
          {"streams", counts.streams},
          {"requests", counts.requests},
          {"refused", counts.refused},
          {"too_many", counts.too_many},
          {"turned_away", counts.turned_away},
          {"slow", counts.slow}};
}

Json first_event_time(const Inquiry& inquiry, const Lookups& lookups) {
  if (only_in_database(inquiry.notice.leader_view)) return nullptr;
  Request request = request_for("history");
  request.limit = 1;
  const Result<Json> rows = lookups.past(request);
  return rows && !rows->empty() ? (*rows)[0]["time"] : Json(nullptr);
}

Reply make_about(const Inquiry& inquiry, const Lookups& lookups, const HeldBytes& held_bytes) {
  const InForce& in_force = *inquiry.notice.in_force;
  Json about;
  about["name"] = in_force.name;
  about["version"] = kVersion;
  about["mode"] = std::string(token(in_force.mode));
  about["base_path"] = in_force.access->http.base_path;
  about["time"] = format_utc(inquiry.notice.now);
  about["first_event_time"] = first_event_time(inquiry, lookups);
  about["operator"] = operator_json(inquiry.asker);
  about["page"] = inquiry.page;
  about["http"] = counts_json(inquiry.counts);
  std::string text = dumped(about) + "\n";
  std::string etag = etag_of(text);
  return reply_of(std::move(text), std::move(etag), inquiry, held_bytes);
}

/// Metrics tell of the whole site: an asker who may see one branch alone gets 403.
Reply make_metrics(const Inquiry& inquiry, const Lookups& lookups, const HeldBytes& held_bytes) {
  if (!branch_of(inquiry).empty()) {
    return refused({403, Error{ErrorCode::refused,
                               "metrics show the whole site: a token of role read or admin "
                               "would be right",
                               {},
                               0,
                               0}});
  }
  const Notice& notice = inquiry.notice;
  const HttpCounts& counts = inquiry.counts;
  MetricsQuestion question{notice.event, notice.now, notice.liveness, notice.figures};
  question.http = {counts.connections, counts.streams,  counts.requests,
                   counts.refused,     counts.too_many, counts.waiting};
  question.database_failing = notice.database_fails;
  question.leader_view = notice.leader_view;
  question.series_most = notice.in_force->access->http.metrics_leases;
  Result<std::string> text = lookups.metrics(question);
  if (!text) return refused({status_of(text.error().code), text.error()});
  Reply reply = reply_of(*std::move(text), "", inquiry, held_bytes);
  reply.type = kMetricsType;
  reply.cache = "no-store";
  return reply;
}

Reply make_readyz(const Inquiry& inquiry, const Lookups& lookups) {
  std::string why = inquiry.notice.trouble;
  if (why.empty()) {
    if (const Status followed = lookups.followed(); !followed) why = describe(followed.error());
  }
  const bool stands_by = inquiry.notice.leader_view.role == BrokerRole::standby;
  const std::string good = stands_by ? "ok: it stands by, and follows the log" : "ok";
  Reply reply = text_reply(why.empty() ? 200 : 503, "text/plain; charset=utf-8",
                           (why.empty() ? good : why) + "\n");
  reply.cache = "no-store";
  return reply;
}

}  // namespace

std::string text_of(const Inquiry& inquiry) {
  const Route& route = inquiry.route;
  std::string text = std::to_string(static_cast<int>(route.kind)) + (inquiry.gzip ? "z" : "p");
  // The loop turns, and knows of its agents what it knows, as of one turn.
  if (route.kind == RouteKind::readyz) text += " of turn " + std::to_string(inquiry.notice.turn);
  if (tells_of_agents(inquiry)) text += " of turn " + std::to_string(inquiry.notice.liveness_turn);
  if (inquiry.asker) text += role_text(*inquiry.asker);
  if (route.kind == RouteKind::about && inquiry.asker) text += " " + inquiry.asker->name;
  if (inquiry.notice.leader_view.nobody) text += " " + describe(*inquiry.notice.leader_view.nobody);
  if (route.kind != RouteKind::question) return text;
  text += request_json(route.request).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (route.request.at) text += format_utc(*route.request.at);
  if (route.selection.limit) text += " limit " + std::to_string(*route.selection.limit);
  return text + " after " + route.selection.after;
}

bool is_of_past(const Inquiry& inquiry) {
  const Route& route = inquiry.route;
  if (route.kind != RouteKind::question) return route.kind == RouteKind::about;
  return is_of_history(*route.request.row) || route.request.at.has_value();
}

bool tells_of_agents(const Inquiry& inquiry) {
  const Route& route = inquiry.route;
  if (route.kind == RouteKind::metrics) return true;
  return route.kind == RouteKind::question && route.request.row->uses_liveness &&
         !is_of_past(inquiry);
}

Reply make_reply(const Inquiry& inquiry, const Lookups& lookups, const HeldBytes& held_bytes) {
  if (inquiry.route.kind == RouteKind::about) return make_about(inquiry, lookups, held_bytes);
  if (inquiry.route.kind == RouteKind::readyz) return make_readyz(inquiry, lookups);
  if (inquiry.route.kind == RouteKind::metrics) return make_metrics(inquiry, lookups, held_bytes);
  const Result<Found> found = find(inquiry, lookups);
  if (!found) return refused({status_of(found.error().code), found.error()});
  const std::optional<NobodyLeads>& nobody =
      found->of.nobody ? found->of.nobody : inquiry.notice.leader_view.nobody;
  return reply_of(wrapped(*found, nobody), tag_of(*found, nobody), inquiry, held_bytes);
}

}  // namespace leasehold
