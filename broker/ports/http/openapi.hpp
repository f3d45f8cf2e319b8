// OpenApi: the description of the API, made of the catalogue's rows and the JSON schemas of
// schema/: what is served and what is described cannot part.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leasehold {

/// Of the folder schema/json or schema/http, as the file is.
struct EmbeddedSchema {
  std::string_view name;  // "leases"
  std::string_view text;
};
/// Made when this is built (schemas.cmake).
std::span<const EmbeddedSchema> embedded_schemas();

/// OpenAPI 3.1.
std::string openapi_text();

}  // namespace leasehold
