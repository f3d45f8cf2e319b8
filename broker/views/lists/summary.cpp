#include "broker/views/lists/summary.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "broker/views/answer.hpp"
#include "broker/views/lists/path.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

int64_t sum_of(const Json& rows, const SumPath& sum) {
  std::set<std::string> seen;
  int64_t total = 0;
  for (const Json& row : rows) {
    if (sum.once_per != nullptr) {
      const std::string key = path::cell_text(path::value_at(row, sum.once_per));
      if (!seen.insert(key).second) continue;
    }
    path::each_at(row, sum.path, [&total](const Json& value) {
      int64_t more = 0;
      if (!__builtin_add_overflow(total, integer_of(value).value_or(0), &more)) total = more;
    });
  }
  return total;
}

Json counts_of(const Json& rows, const char* field) {
  std::map<std::string, int64_t> counts;
  for (const Json& row : rows) {
    path::each_at(row, field, [&counts](const Json& value) {
      if (!value.is_null()) ++counts[path::cell_text(value)];
    });
  }
  std::vector<std::pair<std::string, int64_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json object = Json::object();
  for (const auto& [word, count] : order) object[word] = count;
  return object;
}

}  // namespace

Json summary_of(const Json& rows, const Listing& list) {
  Json sums = Json::object();
  for (const SumPath& each : list.sums) sums[each.path] = sum_of(rows, each);
  Json counts = Json::object();
  for (const char* field : list.counts) counts[field] = counts_of(rows, field);
  return {{"rows", rows.size()}, {"sums", std::move(sums)}, {"counts", std::move(counts)}};
}

std::string summary_text(const Json& summary) {
  const auto rows = summary["rows"].get<int64_t>();
  std::string text = std::to_string(rows) + (rows == 1 ? " row" : " rows");
  bool first = true;
  for (const auto& [field, sum] : summary["sums"].items()) {
    text += (first ? "; " : ", ") + field + " " + sum.dump();
    first = false;
  }
  for (const auto& [field, words] : summary["counts"].items()) {
    std::string list;
    for (const auto& [word, count] : words.items()) {
      list += (list.empty() ? " " : ", ") + count.dump() + " " + printable(word);
    }
    if (!list.empty()) text += "; " + field + ":" + list;
  }
  return text + "\n";
}

}  // namespace leasehold
