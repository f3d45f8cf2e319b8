#include "agent/workload/lsf/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

namespace leasehold::agent {

namespace {

using Words = std::vector<std::string_view>;

constexpr int64_t kSlotsMost = 1'000'000;

Words words_of(std::string_view line) {
  Words words;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) return words;
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::optional<int32_t> slots_of(std::string_view word) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (number < 0 || number > kSlotsMost) return std::nullopt;
  return static_cast<int32_t>(number);
}

tl::unexpected<Error> refused(const char* program, size_t line, const std::string& what) {
  return fail(ErrorCode::io, std::string(program) + ", line " + std::to_string(line) + ": " + what);
}

/// Reads the rows under a header that must be this one, as lists of words.
class Table {
 public:
  static Result<std::vector<Words>> read(const char* program, std::string_view text,
                                         std::string_view header) {
    if (text.empty()) return fail(ErrorCode::io, std::string(program) + " printed nothing");
    if (text.back() != '\n') return fail(ErrorCode::io, std::string(program) + " is cut off");
    std::vector<Words> rows;
    for (size_t number = 1; !text.empty(); ++number) {
      const size_t end = text.find('\n');
      Words words = words_of(text.substr(0, end));
      text.remove_prefix(end + 1);
      if (number == 1 && words != words_of(header)) {
        return refused(program, 1, "the columns are not " + std::string(header));
      }
      if (number > 1 && !words.empty()) rows.push_back(std::move(words));
    }
    return rows;
  }
};

struct HostStatus {
  std::string_view name;
  bool up;
};

/// States of bhosts, "STATUS". A host on which LSF starts no work until somebody or something
/// allows it again is not up: its slots are neither idle nor used.
constexpr std::array<HostStatus, 14> kStatuses{{{"ok", true},
                                                {"closed_Full", true},
                                                {"closed_Excl", true},
                                                {"closed_cu_excl", true},
                                                {"closed_Adm", false},
                                                {"closed_Busy", false},
                                                {"closed_Lock", false},
                                                {"closed_Wind", false},
                                                {"closed_Inact", false},
                                                {"closed_LIM", false},
                                                {"closed_EGO", false},
                                                {"closed_RC", false},
                                                {"unavail", false},
                                                {"unreach", false}}};

Result<LsfHost> host_of(const Words& row, size_t line) {
  constexpr size_t kColumns = 9;
  if (row.size() != kColumns) {
    return refused("bhosts", line, std::to_string(row.size()) + " columns; 9 would be right");
  }
  LsfHost host;
  host.name = row[0];
  const auto status = std::find_if(kStatuses.begin(), kStatuses.end(),
                                   [&](const HostStatus& one) { return one.name == row[1]; });
  host.up = status != kStatuses.end() && status->up;
  if (status == kStatuses.end()) host.unknown = std::string(row[1]);
  if (row[3] != "-" && !(host.max = slots_of(row[3]))) {
    return refused("bhosts", line, "MAX is '" + std::string(row[3]) + "'");
  }
  int32_t sum = 0;
  for (size_t column = 4; column < kColumns; ++column) {
    const std::optional<int32_t> slots = slots_of(row[column]);
    if (!slots) return refused("bhosts", line, "'" + std::string(row[column]) + "' is no number");
    if (column == 4) {
      host.used = *slots;
    } else {
      sum += *slots;
    }
  }
  host.used = std::max(host.used, sum);
  return host;
}

/// Reads "15.7G", "1000M", "-".
Result<int64_t> mebibytes(std::string_view word, size_t line) {
  if (word == "-") return 0;
  const std::string_view units = "KMGTP";
  const size_t unit = word.empty() ? units.npos : units.find(word.back());
  double number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = end + 1 == word.data() + word.size();
  if (error != std::errc() || unit == units.npos || !whole || !(number >= 0 && number < 1e9)) {
    return refused("lshosts", line, "'" + std::string(word) + "' is no amount of memory");
  }
  return std::llround(number * std::pow(1024.0, static_cast<double>(unit) - 1.0));
}

/// Reads "(mg bigmem)", in one word or several.
std::vector<std::string> resources_of(const Words& row, size_t from) {
  std::vector<std::string> names;
  for (size_t i = from; i < row.size(); ++i) {
    std::string name(row[i]);
    std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
    if (!name.empty() && name != "-") names.push_back(name);
  }
  return names;
}

}  // namespace

Result<std::vector<LsfHost>> parse_bhosts(const std::string& text) {
  const auto rows =
      Table::read("bhosts", text, "HOST_NAME STATUS JL/U MAX NJOBS RUN SSUSP USUSP RSV");
  if (!rows) return tl::unexpected(rows.error());
  std::vector<LsfHost> hosts;
  std::set<std::string> names;
  for (size_t i = 0; i < rows->size(); ++i) {
    Result<LsfHost> host = host_of((*rows)[i], i + 2);
    if (!host) return tl::unexpected(host.error());
    if (!names.insert(host->name).second) {
      return refused("bhosts", i + 2, "host '" + host->name + "' is there twice");
    }
    hosts.push_back(*std::move(host));
  }
  return hosts;
}

Result<std::map<std::string, LsfFacts>> parse_lshosts(const std::string& text) {
  const auto rows = Table::read("lshosts", text,
                                "HOST_NAME type model cpuf ncpus maxmem maxswp server RESOURCES");
  if (!rows) return tl::unexpected(rows.error());
  std::map<std::string, LsfFacts> facts;
  for (size_t i = 0; i < rows->size(); ++i) {
    const Words& row = (*rows)[i];
    if (row.size() < 8) return refused("lshosts", i + 2, "columns are missing");
    const Result<int64_t> mem_mb = mebibytes(row[5], i + 2);
    const Result<int64_t> swap_mb = mebibytes(row[6], i + 2);
    if (!mem_mb) return tl::unexpected(mem_mb.error());
    if (!swap_mb) return tl::unexpected(swap_mb.error());
    facts[std::string(row[0])] = {std::string(row[1]), std::string(row[2]), *mem_mb, *swap_mb,
                                  resources_of(row, 8)};
  }
  return facts;
}

wire::HostFacts lsf_facts(const LsfHost& host, const LsfFacts& known, int32_t slots) {
  wire::HostFacts facts;
  facts.name = host.name;
  facts.type = known.type;
  facts.model = known.model;
  facts.slots = slots;
  facts.mem_mb = known.mem_mb;
  facts.swap_mb = known.swap_mb;
  facts.booleans = known.booleans;
  facts.up = host.up;
  return facts;
}

}  // namespace leasehold::agent
