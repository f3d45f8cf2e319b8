#include "broker/views/request/request_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

/// Reads one value into its place, or says what would be right.
struct Reader {
  const Json& value;
  Instant now;
  Request& request;

  Status operator()(std::string Request::*place) const {
    if (!value.is_string()) return fail(ErrorCode::usage, "a text would be right");
    request.*place = value.get<std::string>();
    return {};
  }
  Status operator()(bool Request::*place) const {
    if (!value.is_boolean()) return fail(ErrorCode::usage, "true or false would be right");
    request.*place = value.get<bool>();
    return {};
  }
  Status operator()(std::optional<int64_t> Request::*place) const {
    const std::optional<int64_t> number = integer_of(value);
    if (!number) return fail(ErrorCode::usage, "a whole number would be right");
    request.*place = *number;
    return {};
  }
  Status operator()(std::optional<Instant> Request::*place) const {
    if (!value.is_string()) return fail(ErrorCode::usage, "a time as a text would be right");
    const std::string said = value.get<std::string>();
    if (said.empty()) return fail(ErrorCode::usage, "it is empty; write a time, or leave it out");
    Result<Instant> at = parse_time(said, now);
    // `since` and `until` may be in the future: a client that follows the history waits for them.
    if (at && place == &Request::at) at = past_instant(*at, now);
    if (!at) return tl::unexpected(at.error());
    request.*place = *at;
    return {};
  }
  Status operator()(DrainSide Request::*place) const {
    const std::optional<DrainSide> half =
        value.is_string() ? from_token<DrainSide>(value.get<std::string>()) : std::nullopt;
    if (!half) {
      return fail(ErrorCode::usage,
                  value.dump() + "; " + any_token<DrainSide>() + " would be right");
    }
    request.*place = *half;
    return {};
  }
  Status operator()(OrderTime Request::*place) const {
    if (!value.is_string()) return fail(ErrorCode::usage, "a time as a text would be right");
    const std::string said = value.get<std::string>();
    if (said.empty()) return {};
    const bool begin = place == &Request::order_begin;
    const Result<Instant> at = begin ? parse_order_begin(said, now) : parse_order_end(said, now);
    if (!at) return tl::unexpected(at.error());
    request.*place = {said, *at};
    return {};
  }
};

/// A reason must be one line and not too long, because it is kept for good.
Status check_reason(const std::string& reason) {
  if (reason.size() > kReasonBytesMax) {
    return fail(ErrorCode::usage, std::to_string(reason.size()) + " bytes; at most " +
                                      std::to_string(kReasonBytesMax) + " are kept");
  }
  const bool one_line = std::none_of(reason.begin(), reason.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  return one_line ? Status{} : fail(ErrorCode::usage, "one line of text would be right");
}

/// A pattern must not be too long, because it is compared with every row.
Status check_pattern(const RequestFieldRow& field, Request& request) {
  std::string& pattern = request.*std::get<std::string Request::*>(field.place);
  if (pattern.size() <= kPatternBytesMax) return {};
  const std::string size = std::to_string(pattern.size());
  pattern.clear();
  return fail(ErrorCode::usage,
              size + " bytes; at most " + std::to_string(kPatternBytesMax) + " would be right");
}

/// Writes one value, unless it is the default.
struct Writer {
  const char* key;
  const Request& request;
  Json& object;

  void operator()(std::string Request::*place) const {
    if (!(request.*place).empty()) object[key] = request.*place;
  }
  void operator()(bool Request::*place) const {
    if (request.*place) object[key] = true;
  }
  void operator()(std::optional<int64_t> Request::*place) const {
    if (request.*place) object[key] = *(request.*place);
  }
  void operator()(std::optional<Instant> Request::*place) const {
    if (request.*place) object[key] = format_utc(*(request.*place));
  }
  void operator()(DrainSide Request::*place) const {
    if (request.*place != DrainSide::both) object[key] = token(request.*place);
  }
  void operator()(OrderTime Request::*place) const {
    if (!(request.*place).said.empty()) object[key] = (request.*place).said;
  }
};

/// Visits the fields that the JSON of such a request may have.
template <class Do>
void each_sent(const RequestRow& row, const Do& act) {
  for (const RequestFieldRow& field : request_fields()) {
    if (*field.key != '\0' && row.takes_field(field.field)) act(field);
  }
}

/// A number of rows must be at least one.
Status check_limit(Request& request) {
  if (request.limit.value_or(1) > 0) return {};
  request.limit.reset();
  return fail(ErrorCode::usage, "a whole number from 1 would be right");
}

std::string text_under(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns the option's name in leasectl, or the JSON key where there is none.
std::string name_of(const RequestFieldRow& field) {
  return *field.option == '\0' ? field.key : option_name(field);
}

Status read_field(const RequestFieldRow& field, const Json& value, Instant now, Request& request) {
  if (value.is_null()) return {};
  Status read = std::visit(Reader{value, now, request}, field.place);
  if (read && field.field == RequestField::reason) {
    read = check_reason(request.reason);
    if (!read) request.reason.clear();
  }
  if (read && field.field == RequestField::limit) read = check_limit(request);
  if (read && is_filter(field.field)) read = check_pattern(field, request);
  if (!read) read.error().message = name_of(field) + ": " + read.error().message;
  return read;
}

}  // namespace

ReadRequest read_request(const Json& object, Instant now) {
  ReadRequest read;
  Request& request = read.request;
  request.command = text_under(object, "command");
  request.by = text_under(object, "by");
  request.parts = flag_at(object, "parts");
  request.row = find_request(request.command);
  if (request.row == nullptr) return read;
  each_sent(*request.row, [&](const RequestFieldRow& field) {
    const auto found = object.find(field.key);
    if (found == object.end()) return;
    const Status right = read_field(field, *found, now, request);
    if (!right && !read.mistake) read.mistake = right.error();
  });
  const Status times = check_order_times(request);
  if (!times && !read.mistake) read.mistake = times.error();
  request.row = row_for(request);
  return read;
}

Status check_order_times(const Request& request) {
  const OrderTime& begin = request.order_begin;
  const OrderTime& end = request.order_end;
  if (begin.said.empty() || begin.at < end.at) return {};
  return fail(ErrorCode::usage,
              "--from " + begin.said + " is not before --until " + end.said + ": " +
                  format_utc(begin.at) + " and " + format_utc(end.at) +
                  "; a later end would be right, or --for DURATION, which counts from the begin");
}

Request request_for(std::string_view command) {
  Request request;
  request.command = command;
  request.row = find_request(command);
  LEASEHOLD_CHECK(request.row != nullptr, "only commands of the catalogue are sent");
  return request;
}

Json request_json(const Request& request) {
  Json object;
  object["leasehold"] = kRequestVersion;
  object["command"] = request.command;
  if (!request.by.empty()) object["by"] = request.by;
  if (request.parts) object["parts"] = true;
  each_sent(*request.row, [&](const RequestFieldRow& field) {
    std::visit(Writer{field.key, request, object}, field.place);
  });
  return object;
}

std::string subject_text(const Request& request) {
  if (!request.lease.empty()) return request.lease;
  return request.host.empty() ? request.cluster : request.host;
}

namespace {

/// Writes a field as its option would be typed; "" where it has the default.
struct Typed {
  const RequestFieldRow& field;
  const Request& request;

  std::string with(const std::string& value) const {
    return value.empty() ? "" : std::string(field.option) + " " + value;
  }
  std::string operator()(std::string Request::*place) const { return with(request.*place); }
  std::string operator()(bool Request::*place) const { return request.*place ? field.option : ""; }
  std::string operator()(std::optional<int64_t> Request::*place) const {
    return request.*place ? with(std::to_string(*(request.*place))) : "";
  }
  std::string operator()(std::optional<Instant> Request::*place) const {
    return request.*place ? with(format_utc(*(request.*place))) : "";
  }
  std::string operator()(DrainSide Request::*place) const {
    return request.*place == DrainSide::both ? "" : std::string("--") + token(request.*place);
  }
  std::string operator()(OrderTime Request::*place) const { return with((request.*place).said); }
};

}  // namespace

std::string options_text(const Request& request) {
  std::string text;
  if (request.row == nullptr) return text;
  each_sent(*request.row, [&](const RequestFieldRow& field) {
    const bool offered = *field.option != '\0' || field.field == RequestField::half;
    if (!offered || request.row->subject == field.field) return;
    const std::string typed = std::visit(Typed{field, request}, field.place);
    text += (text.empty() || typed.empty() ? "" : " ") + typed;
  });
  return text;
}

}  // namespace leasehold
