#include "broker/ports/http/request/route.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "broker/views/request/request_json.hpp"
#include "common/config/file.hpp"

namespace leasehold {

namespace {

constexpr int64_t kLimitMost = 1'000'000;

constexpr HttpParameter kParameters[] = {
    {"at", "as it was then: ISO 8601 with a zone, or -2h", [](const RequestRow&) { return true; }},
    {"limit", "rows of a page, ordered by their key", is_paged},
    {"after", "the `next` of the page before", is_paged},
};

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const std::optional<std::string> near = nearest(word, known);
  return near ? "; did you mean '" + *near + "'?" : "";
}

/// Turns the text of one value into JSON of the field's type.
struct AsJson {
  const std::string& text;

  Json operator()(bool Request::*) const {
    if (text.empty() || text == "1" || text == "true") return true;
    return text == "0" || text == "false" ? Json(false) : Json(text);
  }
  Json operator()(std::optional<int64_t> Request::*) const {
    int64_t number = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc() && rest == text.data() + text.size() && !text.empty() ? Json(number)
                                                                                     : Json(text);
  }
  template <class Other>
  Json operator()(Other) const {
    return text;
  }
};

std::vector<std::string> names_known(const RequestRow& row) {
  std::vector<std::string> names;
  for (const RequestFieldRow& field : request_fields()) {
    if (is_parameter(row, field)) names.emplace_back(field.key);
  }
  for (const HttpParameter& each : kParameters) {
    if (each.of(row)) names.emplace_back(each.name);
  }
  return names;
}

/// Puts a parameter that is a field of the row into `object`. False: the row has no such field.
bool take_field(const RequestRow& row, const std::string& name, const std::string& value,
                Json& object) {
  for (const RequestFieldRow& field : request_fields()) {
    if (!is_parameter(row, field) || name != field.key) continue;
    object[field.key] = std::visit(AsJson{value}, field.place);
    return true;
  }
  return false;
}

OrRefusal<void> take_page(const std::string& name, const std::string& value,
                          RowSelection& selection) {
  if (name == "after") {
    selection.after = value;
    return {};
  }
  const Json limit = AsJson{value}(&Request::limit);
  if (!limit.is_number() || limit < 1 || limit > kLimitMost) {
    return bad_request("limit: a whole number from 1 to " + std::to_string(kLimitMost) +
                       " would be right");
  }
  selection.limit = limit.get<int64_t>();
  return {};
}

/// Replaces the command line's option in the message by the parameter that was written here.
std::string as_written_here(std::string message) {
  for (const RequestFieldRow& field : request_fields()) {
    const std::string option = option_name(field) + ":";
    if (option.size() > 1 && message.starts_with(option)) {
      return std::string(field.key) + message.substr(option.size() - 1);
    }
  }
  return message;
}

OrRefusal<void> take_parameters(const RequestHead& head, const RequestRow& row, Json& object,
                                Route& route) {
  std::set<std::string> seen;
  for (const auto& [name, value] : head.parameters) {
    if (!seen.insert(name).second) return bad_request("'" + name + "' is given twice");
    if (take_field(row, name, value, object)) continue;
    if (name == "at") {
      object["at"] = value;
    } else if (is_paged(row) && (name == "limit" || name == "after")) {
      if (OrRefusal<void> taken = take_page(name, value, route.selection); !taken) return taken;
    } else {
      return bad_request("'" + std::string(row.name) + "' takes no '" + name + "'" +
                         meant(name, names_known(row)));
    }
  }
  return {};
}

/// Reads the row's own fields as everywhere, and `at`, which every question takes; for what the
/// history answers, `at` becomes `until`.
OrRefusal<void> read_into(const RequestRow& row, const Json& object, Instant now, Route& route) {
  ReadRequest read = read_request(object, now);
  if (read.mistake) {
    read.mistake->message = as_written_here(std::move(read.mistake->message));
    return tl::unexpected(Refusal{400, *read.mistake});
  }
  route.request = std::move(read.request);
  const auto at = object.find("at");
  if (at == object.end() || row.takes_field(RequestField::at)) return {};
  Result<Instant> then = parse_time(at->get<std::string>(), now);
  if (then) then = past_instant(*then, now);
  if (!then) return bad_request("at: " + then.error().message);
  (is_of_history(row) ? route.request.until : route.request.at) = *then;
  return {};
}

/// The path from that part on, joined again: "compute:/research/genomics" has slashes of its own.
std::string rest_of(const std::vector<std::string>& path, size_t from) {
  std::string rest;
  for (size_t i = from; i < path.size(); ++i) rest += (i > from ? "/" : "") + path[i];
  return rest;
}

std::vector<std::string> names_served() {
  std::vector<std::string> names{"stream", "about", "openapi.json"};
  for (const RequestRow& row : questions()) {
    if (is_served(row)) names.emplace_back(row.name);
  }
  return names;
}

OrRefusal<Route> route_of_question(const RequestHead& head, const std::vector<std::string>& path,
                                   Instant now) {
  const std::string name = path.size() > 2 ? path[2] : "";
  const auto rows = questions();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const RequestRow& each) {
    return name == each.name && is_served(each);
  });
  const std::string subject = rest_of(path, 3);
  if (row == rows.end() || (!row->subject && path.size() > 3)) {
    return refuse(404, ErrorCode::unknown,
                  "there is no /" + rest_of(path, 0) + meant(name, names_served()));
  }
  Route route;
  route.kind = RouteKind::question;
  Json object{{"command", row->name}};
  if (row->subject && !subject.empty()) object[request_field(*row->subject).key] = subject;
  if (OrRefusal<void> taken = take_parameters(head, *row, object, route); !taken) {
    return tl::unexpected(taken.error());
  }
  if (OrRefusal<void> read = read_into(*row, object, now, route); !read) {
    return tl::unexpected(read.error());
  }
  return route;
}

/// Returns the kind of a path that takes no parameter; nullopt: it is none of these.
std::optional<RouteKind> plain_kind(const std::vector<std::string>& path) {
  const std::string whole = rest_of(path, 0);
  if (whole == "livez") return RouteKind::livez;
  if (whole == "readyz") return RouteKind::readyz;
  if (whole == "leader") return RouteKind::leader;
  if (whole == "metrics") return RouteKind::metrics;
  if (whole == "api/v1/stream") return RouteKind::stream;
  if (whole == "api/v1/about") return RouteKind::about;
  if (whole == "api/v1/openapi.json") return RouteKind::openapi;
  return std::nullopt;
}

bool take_base_path(const std::string& base_path, std::vector<std::string>& path) {
  const auto parts = std::count(base_path.begin(), base_path.end(), '/');
  const auto size = static_cast<size_t>(parts);
  if (size == 0 || path.size() < size) return false;
  const std::vector<std::string> first(path.begin(), path.begin() + parts);
  if ("/" + rest_of(first, 0) != base_path) return false;
  path.erase(path.begin(), path.begin() + parts);
  return true;
}

}  // namespace

bool is_served(const RequestRow& row) {
  return !row.admins_alone;
}

bool is_paged(const RequestRow& row) {
  return *row.key != '\0';
}

bool is_of_history(const RequestRow& row) {
  return row.answer == nullptr;
}

std::span<const HttpParameter> http_parameters() {
  return kParameters;
}

bool is_parameter(const RequestRow& row, const RequestFieldRow& field) {
  return *field.key != '\0' && row.takes_field(field.field) && row.subject != field.field;
}

OrRefusal<Route> route_of(const RequestHead& head, const std::string& base_path, Instant now) {
  std::vector<std::string> path = head.path;
  const bool based = take_base_path(base_path, path);
  Route route;
  route.bare = based && path.empty();
  if (const std::optional<RouteKind> kind = plain_kind(path)) {
    route.kind = *kind;
    if (head.parameters.empty() || is_probe(*kind)) return route;
    return bad_request("'" + head.parameters.front().first +
                       "' is not a parameter of this address");
  }
  if (!path.empty() && path[0] == "api") {
    if (path.size() < 3 || path[1] != "v1") {
      return refuse(404, ErrorCode::unknown, "there is /api/v1; see /api/v1/openapi.json");
    }
    return route_of_question(head, path, now);
  }
  route.file = rest_of(path, 0);
  if (route.file.empty()) route.file = "index.html";
  return route;
}

}  // namespace leasehold
