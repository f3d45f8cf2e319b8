#include "broker/replay/backup_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/record/log_body.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/log.hpp"
#include "common/text/base64.hpp"

namespace leasehold {

namespace {

class Page {
 public:
  Page(Log& log, const BackupPlace& from, size_t page_bytes)
      : log_(log), page_bytes_(page_bytes), from_(from), part_(from.part) {}
  Result<Json> read();

 private:
  Status begin();
  bool is_full() const { return bytes_ >= page_bytes_; }
  void add(Json item, const std::string& body, const Hash& hash);
  Status add_base();
  Result<bool> add_row();

  Log& log_;
  const size_t page_bytes_;
  const BackupPlace from_;
  std::vector<BasePlace> bases_;
  int64_t after_ = 0;
  int64_t part_;
  size_t bytes_ = 0;
  Json items_ = Json::array();
};

/// Finds the start: before event 1, or after the base with which the log begins, or where the copy
/// is.
Status Page::begin() {
  Result<std::vector<BasePlace>> bases = log_.bases();
  if (!bases) return tl::unexpected(bases.error());
  bases_ = std::move(*bases);
  const Result<int64_t> first = log_.first_event();
  if (!first) return tl::unexpected(first.error());
  const int64_t oldest = *first == 1 || bases_.empty() ? 0 : bases_.front().last_event;
  after_ = from_.after.value_or(oldest);
  return {};
}

void Page::add(Json item, const std::string& body, const Hash& hash) {
  item["body"] = base64(body);
  item["hash"] = base64(bytes_of(hash));
  bytes_ += body.size() + hash.size();
  items_.push_back(std::move(item));
}

/// Adds parts of the next base, if one is next.
Status Page::add_base() {
  const auto base = std::find_if(bases_.begin(), bases_.end(), [this](const BasePlace& each) {
    return each.last_event == after_;
  });
  while (base != bases_.end() && !is_full()) {
    const Result<std::vector<Chunk>> part = log_.parts(after_, part_, 1);
    if (!part) return tl::unexpected(part.error());
    if (part->empty()) break;
    add({{"base", {after_, part_, base->time.ms}}}, part->front().body, part->front().hash);
    ++part_;
  }
  return {};
}

Result<bool> Page::add_row() {
  const auto rows = log_.rows(after_ + 1, Order::oldest_first);
  LogRow row;
  Result<bool> there = rows->next(row);
  if (there && *there && row.first_event <= after_) there = rows->next(row);
  if (!there || !*there) return there;
  if (row.first_event != after_ + 1) {
    return fail(ErrorCode::refused, "retention removed what comes after event " +
                                        std::to_string(after_) +
                                        " while the copy was made; make it again");
  }
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  add({{"row",
        {row.first_event, row.batch, row.time.ms, row.clock_set, row.core_version, row.epoch}},
       {"events", body->events()}},
      row.body, row.hash);
  after_ = row.first_event + body->events() - 1;
  part_ = 0;
  return true;
}

Result<Json> Page::read() {
  const auto one_view = log_.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  const Result<LogEnd> end = read_end(log_);
  if (!end) return tl::unexpected(end.error());
  if (Status begun = begin(); !begun) return tl::unexpected(begun.error());
  while (!is_full()) {
    if (Status added = add_base(); !added) return tl::unexpected(added.error());
    if (is_full()) break;
    const Result<bool> more = add_row();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  return Json{{"items", std::move(items_)},
              {"after", after_},
              {"part", part_},
              {"last_event", end->last_event}};
}

}  // namespace

Result<Json> backup_page(Log& log, const BackupPlace& from, size_t page_bytes) {
  return Page(log, from, page_bytes).read();
}

}  // namespace leasehold
