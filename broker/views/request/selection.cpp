#include "broker/views/request/selection.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "broker/views/answer.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/request_json.hpp"

namespace leasehold {

namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The keys of a page, in order.
class Page {
 public:
  explicit Page(const RowSelection& selection) : selection_(selection) {}

  void offer(std::string key) {
    if (key > selection_.after) keys_.push_back(std::move(key));
  }
  /// Sorts the offered keys and cuts them to the page. Returns true if there are more.
  bool close() {
    const auto size = static_cast<size_t>(selection_.limit.value_or(INT64_MAX));
    const bool more = keys_.size() > size;
    if (more) {
      std::nth_element(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(size), keys_.end());
      keys_.resize(size);
    }
    std::sort(keys_.begin(), keys_.end());
    return more;
  }
  bool has(const std::string& key) const {
    return std::binary_search(keys_.begin(), keys_.end(), key);
  }
  std::optional<std::string> last() const {
    return keys_.empty() ? std::nullopt : std::optional(keys_.back());
  }

 private:
  const RowSelection& selection_;
  std::vector<std::string> keys_;
};

/// Numbers rows whose keys are shown alike, for the names that differ are hidden: the second
/// and later ones have a number, too.
class UniqueKeys {
 public:
  std::string of(std::string key) {
    const int64_t count = ++counts_[key];
    return count == 1 ? key : key + " #" + std::to_string(count);
  }

 private:
  std::map<std::string, int64_t> counts_;
};

using KeyedRow = std::pair<std::string, std::string>;  // key, JSON

std::string sorted_text(std::vector<KeyedRow> rows) {
  std::sort(rows.begin(), rows.end());
  std::string text = "[";
  for (const auto& [key, row] : rows) text += (text.size() > 1 ? "," : "") + row;
  return text + "]";
}

std::string text_of(ListedRow& row, const Branch* branch) {
  std::string text;
  if (branch == nullptr) {
    row.append_to(text);
    return text;
  }
  Json shown = row.json();
  branch->hide_others(shown);
  return text_of(shown);
}

/// Walks the rows twice: first for the keys of all, then to make only those of the page. Keys are
/// as answers show them, because that of a page's last row is part of the answer.
Result<Selected> page_of_many(const State& state, const Request& request,
                              const RowSelection& selection) {
  const Branch* branch = request.branch.get();
  const auto each = [&](const std::function<void(ListedRow & row, std::string key)>& act) {
    UniqueKeys keys;
    return each_wanted(state, request, [&](ListedRow& row) {
      act(row, branch == nullptr ? row.key() : keys.of(branch->shown("id", row.key())));
    });
  };
  Page page(selection);
  const Status found = each([&](ListedRow&, std::string key) { page.offer(std::move(key)); });
  if (!found) return tl::unexpected(found.error());
  const bool more = page.close();
  std::vector<KeyedRow> rows;
  static_cast<void>(each([&](ListedRow& row, std::string key) {
    if (page.has(key)) rows.emplace_back(std::move(key), text_of(row, branch));
  }));
  return Selected{sorted_text(std::move(rows)), more ? page.last() : std::nullopt};
}

Selected page_of(const Json& rows, const Request& request, const RowSelection& selection) {
  Page page(selection);
  std::vector<std::string> keys;
  UniqueKeys unique_keys;
  for (const Json& each : rows) {
    std::string key = key_of(*request.row, each);
    page.offer(keys.emplace_back(request.branch ? unique_keys.of(std::move(key)) : std::move(key)));
  }
  const bool more = page.close();
  std::vector<KeyedRow> wanted;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (page.has(keys[i])) wanted.emplace_back(std::move(keys[i]), text_of(rows[i]));
  }
  return {sorted_text(std::move(wanted)), more ? page.last() : std::nullopt};
}

}  // namespace

namespace {

std::string not_in_branch(const Request& request) {
  return request.lease.empty() ? "there is nothing of that name in your branch"
                               : "there is no '" + request.lease + "' in your branch";
}

}  // namespace

Status check_branch(const Request& request) {
  if (request.branch == nullptr) return {};
  if (request.row->in_branch == nullptr) {
    const bool admin = request.row->is_change() || request.row->admins_alone;
    return fail(ErrorCode::refused, "'" + request.command + "' needs the role " +
                                        (admin ? "admin" : "read or admin") +
                                        " for the whole site, not for one branch of the consumer "
                                        "tree");
  }
  // Repeated as it was typed: hide_names_in_error() would show which words are names of others.
  if (!request.kind_like.empty()) {
    const auto kinds = kinds_like(request.kind_like);
    if (!kinds) return tl::unexpected(kinds.error());
  }
  if (request.lease.empty() || request.branch->has_subject(request.lease)) return {};
  return fail(ErrorCode::unknown, not_in_branch(request));
}

Error hide_names_in_error(const Request& request, Error error) {
  if (request.branch == nullptr) return error;
  error.message = error.code == ErrorCode::unknown ? not_in_branch(request)
                                                   : request.branch->without_others(error.message);
  return error;
}

std::string key_of(const RequestRow& row, const Json& answer_row) {
  std::string key;
  std::string_view fields = row.key;
  while (!fields.empty()) {
    const size_t end = std::min(fields.find(' '), fields.size());
    if (!key.empty()) key += ' ';
    key += text_at(answer_row, std::string(fields.substr(0, end)));
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return key;
}

Selected select_from(const Json& answer, const Request& request, const RowSelection& selection) {
  const bool paged = answer.is_array() && selection.paged() && *request.row->key != '\0';
  return paged ? page_of(answer, request, selection) : Selected{text_of(answer), std::nullopt};
}

Result<Selected> answer_selected(const Asked& asked, const RowSelection& selection,
                                 const TakePart& take) {
  const Request& request = asked.request;
  if (request.branch == nullptr && !selection.paged()) {
    Result<std::string> text =
        answer_text(asked.state, asked.liveness, asked.sources, asked.request, take);
    if (!text) return tl::unexpected(text.error());
    return Selected{*std::move(text), std::nullopt};
  }
  // Filtered rows without a page keep the order of the list.
  const bool by_key = selection.paged() || RowFilter(request.row->list, request).wants_all();
  if (request.row->each_row != nullptr && by_key) {
    return page_of_many(asked.state, of_state(request, asked.state), selection);
  }
  Result<Json> answer = answer_query(asked.state, asked.liveness, asked.sources, request);
  if (!answer) return tl::unexpected(answer.error());
  return select_from(*answer, request, selection);
}

}  // namespace leasehold
