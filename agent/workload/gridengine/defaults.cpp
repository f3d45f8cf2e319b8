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
constexpr std::array<std::string_view, 9> kQstatHarmless{"-s",   "-u",   "-f",       "-r",  "-ext",
                                                         "-pri", "-urg", "-explain", "-xml"};
/// These add jobs or queues to each host, or say in which form it is printed.
constexpr std::array<std::string_view, 4> kQhostHarmless{"-j", "-q", "-u", "-xml"};
constexpr std::array<std::string_view, 3> kQrstatHarmless{"-u", "-explain", "-xml"};

bool is_harmless(std::string_view program, std::string_view option) {
  const auto in = [option](const auto& options) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  if (program == "qrstat") return in(kQrstatHarmless);
  return program == "qhost" ? in(kQhostHarmless) : in(kQstatHarmless);
}

std::vector<std::string> files_of(const std::string& root, const std::string& cell,
                                  const std::string& program) {
  std::vector<std::string> files{root + "/" + cell + "/common/sge_" + program};
  if (const passwd* user = ::getpwuid(::geteuid())) {
    files.push_back(std::string(user->pw_dir) + "/.sge_" + program);
  }
  return files;
}

Status check_file(const std::string& file, const std::string& program) {
  std::error_code unknown;  // set if nobody can tell: reading the file then fails
  if (!std::filesystem::exists(file, unknown) && !unknown) return {};
  const Result<std::string> text = read_text_file(file);
  if (!text) return {};  // the program cannot read it either
  const std::string option = default_that_hides(program, *text);
  if (option.empty()) return {};
  return fail(ErrorCode::io,
              file + " gives " + program + " the option " + option +
                  ", which keeps hosts, jobs or reservations from the agent and cannot be taken "
                  "back in a call; right would be a file without it");
}

}  // namespace

std::string default_that_hides(std::string_view program, std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      if (word.front() == '-' && !is_harmless(program, word)) return word;
    }
  }
  return "";
}

Status check_defaults(const std::string& root, const std::string& cell,
                      std::initializer_list<const char*> programs) {
  for (const char* program : programs) {
    for (const std::string& file : files_of(root, cell, program)) {
      if (Status plain = check_file(file, program); !plain) return plain;
    }
  }
  return {};
}

}  // namespace leasehold::agent
