#include "broker/views/tables/csv.hpp"

namespace leasehold {

namespace {

bool is_number(const std::string& text) {
  const size_t from = text[0] == '-' ? 1 : 0;
  return text.size() > from && text.find_first_not_of("0123456789.", from) == std::string::npos;
}

bool is_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
         !is_number(text);
}

std::string cell_of(const std::string& said) {
  const std::string text = is_formula(said) ? "'" + said : said;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += cell_of(cell);
  }
  return line + '\n';
}

}  // namespace leasehold
