// Route tells which answer a request by HTTP asks for. Questions are the rows of the catalogue;
// their parameters are its fields, read as everywhere (broker/views/request/request_json.hpp).
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "broker/ports/http/request/head.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/selection.hpp"

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

/// True for the paths that machines probe: they need no token, and any parameter is ignored.
constexpr bool is_probe(RouteKind kind) {
  return kind == RouteKind::livez || kind == RouteKind::readyz || kind == RouteKind::leader;
}

struct Route {
  RouteKind kind = RouteKind::page;
  std::string file;        // for a page: "assets/main.js"
  Request request;         // for a question
  RowSelection selection;  // limit and after; the asker's branch is not known here
  bool bare = false;       // the base path came without its slash: to be redirected
};

/// Reads the route; a proxy may take the base path away, or leave it. Relative times count from
/// `now`.
OrRefusal<Route> route_of(const RequestHead& head, const std::string& base_path, Instant now);

/// True if HTTP answers the question: all but those for admins alone.
bool is_served(const RequestRow& row);
/// True if its answer is a list that comes in pages, by `limit` and `after`.
bool is_paged(const RequestRow& row);
/// True if the history answers it, up to `until`; other questions have `at`.
bool is_of_history(const RequestRow& row);
/// A parameter that questions take by HTTP besides the fields of their rows.
struct HttpParameter {
  const char* name;
  const char* what;
  bool (*of)(const RequestRow& row);
};
std::span<const HttpParameter> http_parameters();
/// True if the field is a parameter of the row; the subject, part of the path, is none.
bool is_parameter(const RequestRow& row, const RequestFieldRow& field);

}  // namespace leasehold
