#include "agent/workload/slurm/fence/kept_names.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "agent/workload/support/durable_file.hpp"
#include "agent/workload/support/kept_text.hpp"
#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

constexpr size_t kNameMost = 255;

/// A name is given to Slurm's programs, which take some characters for a list.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kNameMost &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < '\x7f' &&
                  std::string_view(",[]=\"'\\").find(c) == std::string::npos;
         });
}

std::string no_name(const std::string& text) {
  return "'" + cut_to(printable(text), 60) + "' is no name of a host";
}

}  // namespace

Result<KeptNames> KeptNames::open(const std::string& path) {
  KeptNames made;
  made.path_ = path;
  const Result<std::optional<std::string>> text = read_kept_text(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return made;
  std::istringstream lines(**text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    if (!is_name(line)) {
      return tl::unexpected(
          Error{ErrorCode::corrupt,
                "line " + std::to_string(number) + ": " + no_name(line) + "; take the line out",
                path, 0, 0});
    }
    made.names_.insert(line);
  }
  return made;
}

Status KeptNames::keep(std::set<std::string> names) {
  if (names == names_) return {};
  std::string text;
  for (const std::string& name : names) {
    if (!is_name(name)) return fail(ErrorCode::io, path_ + " cannot keep it: " + no_name(name));
    text += name + "\n";
  }
  if (Status kept = replace_file(path_, text); !kept) {
    return fail(kept.error().code, path_ + " " + kept.error().message);
  }
  names_ = std::move(names);
  return {};
}

}  // namespace leasehold::agent
