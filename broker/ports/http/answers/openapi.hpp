// The description of the API in the form of OpenAPI. It is made of the catalogue's rows and the
// JSON schemas of schema/, so that it cannot differ from what is served.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leasehold {

/// One file of the folder schema/json or schema/http.
struct EmbeddedSchema {
  std::string_view name;  // "leases"
  std::string_view text;
};
/// Returns all of them; the build makes the table (../schemas.cmake).
std::span<const EmbeddedSchema> embedded_schemas();

/// Returns the description as JSON, OpenAPI 3.1.
std::string openapi_text();

}  // namespace leasehold
