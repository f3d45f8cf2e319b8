#include "agent/workload/gridengine/defaults.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <vector>

#include "common/config/file.hpp"

namespace leasehold::agent {

namespace {

/// Tried with 8.1.9: these options change nothing that is read, or the call's own override them.
constexpr std::array<std::string_view, 9> kHarmless{"-s",   "-u",   "-f",       "-r",  "-ext",
                                                    "-pri", "-urg", "-explain", "-xml"};

std::vector<std::string> files_of(const std::string& root, const std::string& cell) {
  std::vector<std::string> files{root + "/" + cell + "/common/sge_qstat"};
  if (const passwd* user = ::getpwuid(::geteuid()))
    files.push_back(std::string(user->pw_dir) + "/.sge_qstat");
  return files;
}

}  // namespace

std::string qstat_default_that_hides(std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;)
      if (word.front() == '-' &&
          std::find(kHarmless.begin(), kHarmless.end(), word) == kHarmless.end())
        return word;
  }
  return "";
}

Status check_qstat_defaults(const std::string& root, const std::string& cell) {
  for (const std::string& file : files_of(root, cell)) {
    std::error_code unknown;  // set if nobody can tell: reading the file then fails
    if (!std::filesystem::exists(file, unknown) && !unknown) continue;
    const Result<std::string> text = read_text_file(file);
    if (!text) continue;  // qstat cannot read it either
    const std::string option = qstat_default_that_hides(*text);
    if (option.empty()) continue;
    return fail(ErrorCode::io, file + " gives qstat the option " + option +
                                   ", which keeps hosts or jobs from the agent and cannot be taken "
                                   "back in a call; right would be a file without it");
  }
  return {};
}

}  // namespace leasehold::agent
