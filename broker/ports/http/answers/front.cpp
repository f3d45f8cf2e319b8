#include "broker/ports/http/answers/front.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/ports/http/answers/openapi.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr const char* kText = "text/plain; charset=utf-8";
constexpr std::string_view kGuide = "docs/";
constexpr const char* kNoPage =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Leasehold</title>\n"
    "<h1>Leasehold</h1>\n<p>This broker was built without its page. The same answers are there as "
    "JSON: <a "
    "href=\"api/v1/openapi.json\">api/v1/openapi.json</a> lists them, <a "
    "href=\"api/v1/leases\">api/v1/leases</a> is one.</p>\n</html>\n";

std::shared_ptr<const Reply> shared(Reply reply) {
  return std::make_shared<const Reply>(std::move(reply));
}

std::shared_ptr<const Reply> moved_to(const std::string& path) {
  Reply reply = text_reply(308, kText, "it is at " + path + "\n");
  reply.fields.emplace_back("Location", path);
  return shared(std::move(reply));
}

std::shared_ptr<const Reply> probe_reply(int status, const std::string& text) {
  Reply reply = text_reply(status, kText, text + "\n");
  reply.cache = "no-store";
  return shared(std::move(reply));
}

/// /leader answers 200 only on a broker that may answer as the leader: proxies send requests there.
std::shared_ptr<const Reply> leader_reply(const LeaderView& leader_view, int64_t now_ms) {
  if (leader_view.nobody) return probe_reply(503, describe(*leader_view.nobody));
  if (leader_view.role == BrokerRole::alone) {
    return probe_reply(200, "leads: it is the only broker");
  }
  if (leader_view.role == BrokerRole::standby) {
    return probe_reply(503,
                       "stands by: " + who_leads(leader_view.leader, leader_view.leader_endpoint));
  }
  if (leads_at(leader_view, now_ms)) {
    return probe_reply(200, "leads, epoch " + std::to_string(leader_view.epoch));
  }
  return probe_reply(
      503, "it led; it may lead no longer, because no commit succeeded within leader_ttl");
}

/// A page of another site may point here, but not ask in a reader's name.
OrRefusal<void> check_site(const RequestHead& head, RouteKind kind) {
  const bool elsewhere =
      head.field("sec-fetch-site") == "cross-site" && head.field("sec-fetch-mode") != "navigate";
  if (!elsewhere || kind == RouteKind::page) return {};
  return refuse(403, ErrorCode::refused, "requests from pages of other sites are refused");
}

OrRefusal<void> check_name(const RequestHead& head, const Access& access) {
  const std::string& host = head.field("host");
  if (host.empty() || is_own_name(host, access.http.hosts)) return {};
  return refuse(403, ErrorCode::refused,
                "this broker is not called '" + host.substr(0, 100) +
                    "'; if that is its name, write it into [http] hosts");
}

}  // namespace

bool asks_for_probe(const RequestHead& head, const Notice& notice) {
  const std::string base = notice.in_force ? notice.in_force->access->http.base_path : "";
  const OrRefusal<Route> route = route_of(head, base, notice.now);
  if (!route) return false;
  return route->kind == RouteKind::livez || route->kind == RouteKind::readyz ||
         route->kind == RouteKind::leader;
}

Refusal every_place_taken() {
  return {503,
          Error{ErrorCode::refused, "every connection is taken ([http] connections)", {}, 0, 0}};
}

Front::Front(std::span<const PageFile> page, std::span<const PageFile> guide)
    : page_(page), guide_(guide), rates_(0, 1) {}

Outcome Front::receive(const RequestHead& head, const std::string& peer, const Notice& notice,
                       int64_t now_ms) {
  ++counts.requests;
  OrRefusal<Outcome> outcome = outcome_of(head, peer, notice, now_ms);
  if (outcome) return *std::move(outcome);
  Outcome refused;
  refused.reply = refuse(outcome.error(), peer, now_ms);
  return refused;
}

std::shared_ptr<const Reply> Front::refuse(const Refusal& refusal, const std::string& address,
                                           int64_t now_ms) {
  ++(refusal.status == 429 || refusal.status == 503 ? counts.too_many : counts.refused);
  if (refusal.status != 404 && log_rate_.take("", 0, now_ms) == PeerRates::Verdict::taken) {
    log_warn("http-refused", {{"where", address},
                              {"status", refusal.status},
                              {"why", refusal.error.message},
                              {"refused", counts.refused},
                              {"too_many", counts.too_many},
                              {"then", "no lease changes; the answer gives the reason"},
                              {"do", "look who asks, and why it is refused"}});
  }
  return shared(refused(refusal));
}

std::shared_ptr<const Reply> Front::unless_known(std::shared_ptr<const Reply> reply,
                                                 const std::string& if_none_match) {
  if (reply->status != 200 || !names_etag(if_none_match, reply->etag)) return reply;
  Reply known = *reply;
  known.status = 304;
  known.kept.reset();
  known.fixed = {};
  return shared(std::move(known));
}

OrRefusal<void> Front::check_rate(const std::string& address, int64_t per_second, int64_t now_ms) {
  if (rates_.per_second() != per_second) rates_ = PeerRates(per_second, 1);
  if (rates_.take(address, 0, now_ms) == PeerRates::Verdict::taken) return {};
  return leasehold::refuse(
      429, ErrorCode::refused,
      "more than " + std::to_string(per_second) + " requests a second ([http] rate_per_address)");
}

OrRefusal<Outcome> Front::outcome_of(const RequestHead& head, const std::string& peer,
                                     const Notice& notice, int64_t now_ms) {
  const bool begun = notice.in_force != nullptr;
  OrRefusal<Route> route =
      route_of(head, begun ? notice.in_force->access->http.base_path : "", notice.now);
  if (route && route->kind == RouteKind::livez) return Outcome{probe_reply(200, "ok"), {}, {}, {}};
  if (!begun) return leasehold::refuse(503, ErrorCode::io, "the broker is starting");
  const Access& access = *notice.in_force->access;
  if (auto good = check_name(head, access); !good) return tl::unexpected(good.error());
  const std::string address = address_of(head, peer, access);
  if (auto good = check_rate(address, access.http.rate_per_address, now_ms); !good) {
    return tl::unexpected(good.error());
  }
  if (route && route->kind == RouteKind::page) {
    auto reply = page_reply(*route, head, access.http.base_path);
    if (!reply) return tl::unexpected(reply.error());
    return Outcome{*std::move(reply), {}, {}, {}};
  }
  if (route && route->kind == RouteKind::leader) {
    return Outcome{leader_reply(notice.leader_view, now_ms), {}, {}, {}};
  }
  if (route && route->kind == RouteKind::readyz) {
    return begin_question(*std::move(route), {address, {}, {}}, head, notice);
  }
  OrRefusal<Visitor> visitor = visitor_of(head, peer, access);
  if (!visitor) return tl::unexpected(visitor.error());
  if (!route) return tl::unexpected(route.error());
  if (auto good = check_site(head, route->kind); !good) return tl::unexpected(good.error());
  return begin_question(*std::move(route), *std::move(visitor), head, notice);
}

OrRefusal<Outcome> Front::begin_question(Route route, Visitor visitor, const RequestHead& head,
                                         const Notice& notice) {
  Outcome outcome;
  outcome.visitor = std::move(visitor);
  const bool gzip = takes_gzip(head.field("accept-encoding"));
  if (route.kind == RouteKind::stream) {
    outcome.stream.emplace(head.field("last-event-id"));
  } else if (route.kind == RouteKind::openapi) {
    outcome.reply = openapi_reply(gzip);
  } else {
    outcome.inquiry =
        Inquiry{std::move(route), notice, outcome.visitor.asker, gzip, !page_.empty(), counts};
  }
  return outcome;
}

OrRefusal<std::shared_ptr<const Reply>> Front::page_reply(const Route& route,
                                                          const RequestHead& head,
                                                          const std::string& base_path) {
  if (route.bare) return moved_to(base_path + "/");
  if (route.file == "docs") return moved_to(base_path + "/docs/");
  Reply reply;
  if (page_.empty() && route.file == "index.html") {
    reply = text_reply(200, "text/html; charset=utf-8", kNoPage);
    reply.etag = etag_of(kNoPage);
    return shared(std::move(reply));
  }
  const OrRefusal<const PageFile*> found = file_at(route.file);
  if (!found) return tl::unexpected(found.error());
  const PageFile* file = *found;
  reply.type = file->type;
  reply.etag = file->etag;
  if (file->immutable) reply.cache = "public, max-age=31536000, immutable";
  reply.gzipped = !file->gzip.empty() && takes_gzip(head.field("accept-encoding"));
  reply.fixed = reply.gzipped ? file->gzip : file->bytes;
  return shared(std::move(reply));
}

OrRefusal<const PageFile*> Front::file_at(const std::string& path) const {
  const bool of_guide = path.starts_with(kGuide);
  const std::span<const PageFile> files = of_guide ? guide_ : page_;
  if (of_guide && files.empty()) {
    return leasehold::refuse(404, ErrorCode::unknown, "this broker was built without its guide");
  }
  std::string_view name = path;
  if (of_guide) name.remove_prefix(kGuide.size());
  if (of_guide && name.empty()) name = "index.html";
  const auto file = std::find_if(files.begin(), files.end(),
                                 [name](const PageFile& each) { return each.path == name; });
  if (file == files.end()) {
    return leasehold::refuse(404, ErrorCode::unknown, "there is no /" + path.substr(0, 200));
  }
  return &*file;
}

std::shared_ptr<const Reply> Front::openapi_reply(bool gzip) {
  std::shared_ptr<const Reply>& kept = openapi_[gzip ? 1 : 0];
  if (kept != nullptr) return kept;
  std::string text = openapi_text();
  Reply reply;
  reply.etag = etag_of(text);
  reply.gzipped = gzip;
  reply.kept = std::make_shared<const std::string>(gzip ? gzipped(text) : std::move(text));
  return kept = shared(std::move(reply));
}

}  // namespace leasehold
