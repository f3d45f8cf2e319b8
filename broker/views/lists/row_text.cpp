#include "broker/views/lists/row_text.hpp"

namespace leasehold {

Json value_json(const Scalar& value) {
  switch (value.kind) {
    case Scalar::Kind::null:
      return nullptr;
    case Scalar::Kind::flag:
      return value.number != 0;
    case Scalar::Kind::number:
      return value.number;
    case Scalar::Kind::unsigned_number:
      return static_cast<uint64_t>(value.number);
    case Scalar::Kind::text:
      return value.text;
  }
  return nullptr;
}

void RowText::add_key(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string object(dot == name.npos ? "" : name.substr(0, dot));
  std::string key = keys_.empty() ? "{" : object == object_ || object_.empty() ? "," : "},";
  if (object != object_ && !object.empty()) key += '"' + object + "\":{";
  key += '"' + std::string(dot == name.npos ? name : name.substr(dot + 1)) + "\":";
  keys_.push_back(std::move(key));
  object_ = object;
}

void RowText::put_value(const Scalar& value) {
  if (value.kind == Scalar::Kind::text) return put_text(value.text);
  if (value.kind == Scalar::Kind::null) return put("null");
  if (value.kind == Scalar::Kind::flag) return put(value.number != 0 ? "true" : "false");
  constexpr size_t kDigitsMost = 20;
  char* at = room(kDigitsMost);
  char* const end = at + kDigitsMost;
  const auto done = value.kind == Scalar::Kind::number
                        ? std::to_chars(at, end, value.number)
                        : std::to_chars(at, end, static_cast<uint64_t>(value.number));
  size_ = static_cast<size_t>(done.ptr - bytes_.data());
}

/// A loop by hand, because there are very many texts.
void RowText::put_text(std::string_view text) {
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') continue;
    return put(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  put("\"");
  put(text);
  put("\"");
}

}  // namespace leasehold
