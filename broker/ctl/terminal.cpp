#include "broker/ctl/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>

namespace leasehold::ctl {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

size_t columns_of_environment() {
  const std::string text = environment("COLUMNS");
  size_t columns = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && columns < 100'000 ? columns : 0;
}

}  // namespace

size_t terminal_width() {
  constexpr size_t kUsual = 80;
  if (isatty(STDOUT_FILENO) != 1) return 0;
  if (const size_t columns = columns_of_environment(); columns > 0) return columns;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

bool wants_colour(std::string_view when) {
  if (when == "always" || when == "never") return when == "always";
  return isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

}  // namespace leasehold::ctl
