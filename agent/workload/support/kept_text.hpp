// Small text files that the agent keeps beside its state: read within bounds, and written as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the file's text; nullopt: there is no such file. The Error names the file.
Result<std::optional<std::string>> read_kept_text(const std::string& path);

/// Replaces the file by `all` in one line; it is durable when it returns. A text in it that is not
/// UTF-8 is refused. The error says why, in words that follow the name of the file.
Status replace_with_json(const std::string& path, const nlohmann::json& all);

}  // namespace leasehold::agent
