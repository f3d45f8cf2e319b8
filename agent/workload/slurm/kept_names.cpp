#include "agent/workload/slurm/kept_names.hpp"

#include <filesystem>
#include <sstream>
#include <utility>

#include "agent/workload/support/durable_file.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

Result<KeptNames> KeptNames::open(const std::string& path) {
  KeptNames made;
  made.path_ = path;
  if (!std::filesystem::exists(path)) return made;
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) made.names_.insert(line);
  return made;
}

Status KeptNames::keep(std::set<std::string> names) {
  if (names == names_) return {};
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  if (Status kept = replace_file(path_, text); !kept)
    return fail(kept.error().code, path_ + " " + kept.error().message);
  names_ = std::move(names);
  return {};
}

}  // namespace leasehold::agent
