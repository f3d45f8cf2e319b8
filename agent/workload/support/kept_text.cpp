#include "agent/workload/support/kept_text.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/workload/support/durable_file.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

Result<std::optional<std::string>> read_kept_text(const std::string& path) {
  std::error_code code;  // set if nobody can tell: reading the file then gives the error
  if (!std::filesystem::exists(path, code) && !code) return std::nullopt;
  Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return *std::move(text);
}

Status replace_with_json(const std::string& path, const nlohmann::json& all) {
  try {
    return replace_file(path, all.dump() + "\n");
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::io, "cannot be written: a name in it is not UTF-8");
  }
}

}  // namespace leasehold::agent
