#include "broker/record/log_body.hpp"

#include <algorithm>
#include <span>

#include "broker/record/event_codec_bytes.hpp"

namespace leasehold {

namespace {

/// The fields of a stored event, in order. A later version adds fields at the end.
enum Field : uint8_t {
  kTime,  // since the row's time
  kKind,
  kLease,
  kGeneration,
  kEpoch,
  kCluster,
  kReason,
  kSlots,
  kFrom,
  kTo,
  kNumbers,  // [name, number, …]
  kBy,
  kPayload,
  kFields,
  kRuleReason = kFields,  // only where there is one
  kFieldsWithRule
};

struct Text {
  Field field;
  std::string HistoryRow::*member;
};
constexpr Text kTexts[] = {
    {kKind, &HistoryRow::kind},     {kLease, &HistoryRow::lease}, {kCluster, &HistoryRow::cluster},
    {kReason, &HistoryRow::reason}, {kFrom, &HistoryRow::from},   {kTo, &HistoryRow::to},
    {kBy, &HistoryRow::by}};

std::string_view view_of(const msgpack::object& from) {
  return from.type == msgpack::type::BIN ? std::string_view(from.via.bin.ptr, from.via.bin.size)
                                         : std::string_view(from.via.str.ptr, from.via.str.size);
}

std::span<const msgpack::object> list_of(const msgpack::object& from) {
  return {from.via.array.ptr, from.via.array.size};
}

bool is_list(const msgpack::object& from) {
  return from.type == msgpack::type::ARRAY;
}

bool is_event(const msgpack::object& from) {
  return is_list(from) &&
         (from.via.array.size == kFields || from.via.array.size == kFieldsWithRule);
}

tl::unexpected<Error> bad_event(int64_t id) {
  return bytes::corrupt("event " + std::to_string(id), "it holds what is never written");
}

}  // namespace

uint32_t BodyWriter::place(std::string_view text) {
  const auto [found, added] =
      places_.emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (added) {
    texts_.emplace_back(text);
    text_bytes_ += text.size();
  }
  return found->second;
}

void BodyWriter::pack(const HistoryRow& row, const Record* record) {
  const auto place_of = [this](const std::string& text) -> std::optional<uint32_t> {
    if (text.empty()) return std::nullopt;
    return place(text);
  };
  if (events_++ == 0) time_ = row.time;
  bytes::Packer packer(rows_);
  packer.array(row.rule_reason.empty() ? kFields : kFieldsWithRule);
  packer.put(row.time - time_);
  packer.put(place_of(row.kind));
  packer.put(place_of(row.lease));
  packer.put(row.generation);
  packer.put(row.epoch);
  packer.put(place_of(row.cluster));
  packer.put(place_of(row.reason));
  packer.put(row.slots);
  packer.put(place_of(row.from));
  packer.put(place_of(row.to));
  const NumberNames* names = record == nullptr ? nullptr : &number_names(record->kind);
  const auto named = names == nullptr ? 0 : std::count_if(names->begin(), names->end(), [](auto n) {
    return *n != '\0';
  });
  packer.array(2 * static_cast<size_t>(named));
  for (size_t i = 0; named > 0 && i < names->size(); ++i) {
    if (*(*names)[i] == '\0') continue;
    packer.put(place((*names)[i]));
    packer.put(record->numbers[i]);
  }
  packer.put(place_of(row.by));
  packer.binary(row.payload);
  if (!row.rule_reason.empty()) packer.put(place(row.rule_reason));
}

void BodyWriter::add(const Event& event, Instant now) {
  if (empty()) clock_set_ = std::holds_alternative<ClockSet>(event);
  input_row(row_, event, now);
  pack(row_, nullptr);
}

void BodyWriter::add(const Record& record, Instant now, const State& state, std::string_view by) {
  record_row(row_, record, now, state, by);
  pack(row_, &record);
}

void BodyWriter::finish(const std::string& images, std::string& out) {
  bytes::Packer packer(out);
  packer.array(4);
  packer.put(kBodyVersion);
  packer.put(texts_);
  packer.array(static_cast<size_t>(events_));
  out += rows_;
  packer.binary(images);
  clear();
}

void BodyWriter::clear() {
  rows_.clear();
  texts_.clear();
  text_bytes_ = 0;
  places_.clear();
  events_ = 0;
  clock_set_ = false;
}

struct LogBody::Parts {
  const LogRow* row = nullptr;
  msgpack::object_handle handle;
  std::span<const msgpack::object> texts;
  std::span<const msgpack::object> events;
  std::string_view images;

  bool take();
  bool text(const msgpack::object& from, std::string& to) const;
  bool numbers(const msgpack::object& from, std::string& json) const;
  bool take_texts(const msgpack::object& from, HistoryRow& row) const;
  bool take_event(const msgpack::object& from, HistoryRow& row) const;
};

bool LogBody::Parts::take() {
  const msgpack::object& all = handle.get();
  if (!is_list(all) || all.via.array.size != 4) return false;
  const auto parts = list_of(all);
  int version = 0;
  if (bytes::Unpacker unpacker; !unpacker.get(parts[0], version) || version != kBodyVersion) {
    return false;
  }
  if (!is_list(parts[1]) || !is_list(parts[2])) return false;
  if (parts[3].type != msgpack::type::BIN) return false;
  texts = list_of(parts[1]);
  events = list_of(parts[2]);
  images = view_of(parts[3]);
  const auto is_text = [](const msgpack::object& text) { return text.type == msgpack::type::STR; };
  return !events.empty() && std::all_of(texts.begin(), texts.end(), is_text);
}

bool LogBody::Parts::text(const msgpack::object& from, std::string& to) const {
  to.clear();
  if (from.type == msgpack::type::NIL) return true;
  uint32_t place = 0;
  if (bytes::Unpacker unpacker; !unpacker.get(from, place) || place >= texts.size()) return false;
  to = view_of(texts[place]);
  return true;
}

bool LogBody::Parts::numbers(const msgpack::object& from, std::string& json) const {
  json.clear();
  if (!is_list(from) || from.via.array.size % 2 != 0) return false;
  const auto list = list_of(from);
  std::string name;
  for (size_t i = 0; i < list.size(); i += 2) {
    int64_t number = 0;
    bytes::Unpacker unpacker;
    if (!text(list[i], name) || !unpacker.get(list[i + 1], number)) return false;
    add_number(json, name, number);
  }
  return true;
}

bool LogBody::Parts::take_texts(const msgpack::object& from, HistoryRow& to) const {
  if (!is_event(from)) return false;
  const auto list = list_of(from);
  return std::all_of(std::begin(kTexts), std::end(kTexts),
                     [&](const Text& part) { return text(list[part.field], to.*part.member); });
}

bool LogBody::Parts::take_event(const msgpack::object& from, HistoryRow& to) const {
  if (!take_texts(from, to)) return false;
  const auto list = list_of(from);
  if (list.size() > kRuleReason && !text(list[kRuleReason], to.rule_reason)) return false;
  int64_t since_ms = 0;
  bytes::Unpacker unpacker;
  if (!unpacker.get(list[kTime], since_ms) || !unpacker.get(list[kGeneration], to.generation) ||
      !unpacker.get(list[kEpoch], to.epoch) || !unpacker.get(list[kSlots], to.slots) ||
      !numbers(list[kNumbers], to.numbers) || list[kPayload].type != msgpack::type::BIN) {
    return false;
  }
  to.time = row->time + since_ms;
  to.payload = view_of(list[kPayload]);
  return true;
}

LogBody::LogBody(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LogBody::LogBody(LogBody&&) noexcept = default;
LogBody& LogBody::operator=(LogBody&&) noexcept = default;
LogBody::~LogBody() = default;

Result<LogBody> LogBody::read(const LogRow& row) {
  auto parts = std::make_unique<Parts>();
  parts->row = &row;
  const std::string what = "what event " + std::to_string(row.first_event) + " begins";
  Result<msgpack::object_handle> handle = bytes::parse(what, row.body);
  if (!handle) return tl::unexpected(handle.error());
  parts->handle = std::move(*handle);
  if (!parts->take()) return bytes::corrupt(what, "it is no commit that this version writes");
  return LogBody(std::move(parts));
}

int64_t LogBody::events() const {
  return static_cast<int64_t>(parts_->events.size());
}

bool LogBody::names(std::string_view text) const {
  return std::any_of(parts_->texts.begin(), parts_->texts.end(),
                     [&](const msgpack::object& kept) { return view_of(kept) == text; });
}

Status LogBody::texts_of(int64_t at, HistoryRow& row) const {
  clear(row);
  if (parts_->take_texts(parts_->events[static_cast<size_t>(at)], row)) return {};
  return bad_event(parts_->row->first_event + at);
}

Status LogBody::event(int64_t at, HistoryRow& row) const {
  clear(row);
  row.id = parts_->row->first_event + at;
  row.batch = parts_->row->batch;
  if (parts_->take_event(parts_->events[static_cast<size_t>(at)], row)) return {};
  return bad_event(row.id);
}

Result<Instant> LogBody::time_of(int64_t at) const {
  const msgpack::object& event = parts_->events[static_cast<size_t>(at)];
  int64_t since_ms = 0;
  bytes::Unpacker unpacker;
  if (is_event(event) && unpacker.get(list_of(event)[kTime], since_ms)) {
    return parts_->row->time + since_ms;
  }
  return bad_event(parts_->row->first_event + at);
}

std::string_view LogBody::images() const {
  return parts_->images;
}

}  // namespace leasehold
