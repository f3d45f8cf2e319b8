// Route: which answer a request by HTTP asks for. Questions are the rows of the catalogue, and what
// they take are its fields, read as everywhere (broker/views/request_json.hpp). Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "broker/ports/http/head.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/selection.hpp"

namespace leasehold {

enum class RouteKind : uint8_t {
  livez,
  readyz,
  leader,
  metrics,
  question,
  stream,
  about,
  openapi,
  page,
};

/// What machines ask that look whether somebody is there: without a token, and with any parameter.
constexpr bool is_probe(RouteKind kind) {
  return kind == RouteKind::livez || kind == RouteKind::readyz || kind == RouteKind::leader;
}

struct Route {
  RouteKind kind = RouteKind::page;
  std::string file;        // of the page: "assets/main.js"
  Request request;         // of a question
  RowSelection selection;  // its page; whose branch it is is not known here
  bool bare = false;       // the base path without its slash: it is elsewhere
};

/// A proxy may take the base path away, or leave it. `now`: of relative times.
OrRefusal<Route> route_of(const RequestHead& head, const std::string& base_path, Instant now);

/// The questions that HTTP answers: all, but those whose answer is a database.
bool is_served(const RequestRow& row);
/// Whether its answer is a list that comes in pages: by `limit` and `after`.
bool is_paged(const RequestRow& row);
/// The history answers, up to `until`, where others have `at`.
bool is_of_history(const RequestRow& row);
/// What a question takes by HTTP besides the fields of its row.
struct HttpParameter {
  const char* name;
  const char* what;
  bool (*of)(const RequestRow& row);
};
std::span<const HttpParameter> http_parameters();
/// Whether the field is a parameter, besides the subject.
bool is_parameter(const RequestRow& row, const RequestFieldRow& field);

}  // namespace leasehold
