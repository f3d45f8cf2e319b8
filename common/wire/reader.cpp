#include "common/wire/reader.hpp"

#include <algorithm>

#include "common/wire/text.hpp"

namespace leasehold::wire {

namespace {

std::string name_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::nil:
      return "nil";
    case Value::Kind::boolean:
      return "a boolean";
    case Value::Kind::natural:
      return std::to_string(value.natural);
    case Value::Kind::negative:
      return std::to_string(value.negative);
    case Value::Kind::text:
      return "a text";
    case Value::Kind::array:
      return "an array";
    case Value::Kind::map:
      return "a map";
    case Value::Kind::other:
      return "a float, binary or extension value";
  }
  return "a value";
}

}  // namespace

bool Reader::refuse(std::string problem, DecodeFailure kind) {
  problem_ = std::move(problem);
  kind_ = kind;
  return false;
}

bool Reader::refuse_number(int64_t least, uint64_t most) {
  return refuse("is " + name_of(peek()) + "; it must be an integer from " + std::to_string(least) +
                " to " + std::to_string(most));
}

bool Reader::in_field(std::string_view name) {
  const bool nested = !place_.empty() && place_.front() != '[';
  place_ = std::string(name) + (nested ? "." : "") + place_;
  return false;
}

bool Reader::in_item(size_t index) {
  const bool nested = !place_.empty() && place_.front() != '[';
  place_ = "[" + std::to_string(index) + "]" + (nested ? "." : "") + place_;
  return false;
}

std::string Reader::failure() const {
  return place_.empty() ? "the message " + problem_ : place_ + " " + problem_;
}

bool Reader::take_array(uint32_t& count, int least) {
  const Value& value = peek();
  if (value.kind != Value::Kind::array) {
    return refuse("is " + name_of(value) + "; it must be an array");
  }
  if (value.size < static_cast<uint32_t>(least)) {
    return refuse("is a row of " + std::to_string(value.size) + " values; it must have at least " +
                  std::to_string(least));
  }
  count = value.size;
  ++position_;
  return true;
}

bool Reader::take(bool& flag) {
  const Value& value = peek();
  if (value.kind != Value::Kind::boolean) {
    return refuse("is " + name_of(value) + "; it must be true or false");
  }
  flag = value.natural != 0;
  ++position_;
  return true;
}

bool Reader::take(std::string& text) {
  const Value& value = peek();
  if (value.kind != Value::Kind::text) {
    return refuse("is " + name_of(value) + "; it must be a text");
  }
  if (value.size > kTextBytesMax) {
    return refuse("has " + std::to_string(value.size) + " bytes; at most " +
                      std::to_string(kTextBytesMax) + " are taken",
                  DecodeFailure::oversized);
  }
  if (!is_plain_text(value.view())) {
    return refuse("is not plain text; it must be UTF-8 without control characters");
  }
  text.assign(value.view());
  ++position_;
  return true;
}

bool Reader::take(Reason& reason) {
  std::string text;
  if (!take(text)) return false;
  // A newer program may know more reasons; the message still says what is wrong.
  reason = reason_from_token(text).value_or(Reason::none);
  return true;
}

/// A newer program may know more fates.
bool Reader::take(Fate& fate) {
  std::string text;
  if (!take(text)) return false;
  fate = from_token<Fate>(text).value_or(Fate::unknown);
  return true;
}

bool Reader::take(Role& role) {
  const Value& value = peek();
  for (const Token<Role>& row : kTokensOf<Role>) {
    if (!value.is_text(row.token)) continue;
    role = row.value;
    ++position_;
    return true;
  }
  return refuse("must be \"provider\" or \"consumer\"");
}

bool Reader::take(Lowering& lowering) {
  const Value& value = peek();
  if (value.kind != Value::Kind::natural || value.natural >= kTokensOf<Lowering>.size()) {
    return refuse("is " + name_of(value) + "; it must be 0 (release), 1 (reclaim) or 2 (shrink)");
  }
  lowering = static_cast<Lowering>(value.natural);
  ++position_;
  return true;
}

bool Reader::take(TimeClass& time) {
  const Value& value = peek();
  if (value.kind != Value::Kind::natural || value.natural >= kTimeClasses) {
    return refuse("is " + name_of(value) + "; it must be a class of time, 0 (1m) to " +
                  std::to_string(kTimeClasses - 1) + " (" + leasehold::token(TimeClass::unknown) +
                  ")");
  }
  time = static_cast<TimeClass>(value.natural);
  ++position_;
  return true;
}

bool Reader::take(Division& division) {
  const Value& value = peek();
  if (value.kind != Value::Kind::natural) {
    return refuse("is " + name_of(value) + "; it must be a number, 0 (" +
                  leasehold::token(Division::unsaid) + ") to " +
                  std::to_string(kTokensOf<Division>.size() - 1) + " (" +
                  leasehold::token(Division::by_operator) + ")");
  }
  // A newer program may know more reasons why a host is indivisible.
  const bool known = value.natural < kTokensOf<Division>.size();
  division = known ? static_cast<Division>(value.natural) : Division::other_reason;
  ++position_;
  return true;
}

bool Reader::take(NotUp& why) {
  const Value& value = peek();
  if (value.kind != Value::Kind::natural) {
    return refuse("is " + name_of(value) + "; it must be a number, 0 (" +
                  leasehold::token(NotUp::unsaid) + ") to " +
                  std::to_string(kTokensOf<NotUp>.size() - 1) + " (" +
                  leasehold::token(NotUp::not_now) + ")");
  }
  const bool known = value.natural < kTokensOf<NotUp>.size();
  why = known ? static_cast<NotUp>(value.natural) : NotUp::unsaid;
  ++position_;
  return true;
}

bool Reader::take(StateBlock& block) {
  block.clear();
  uint32_t count = 0;
  if (!take_array(count, 0)) return false;
  for (uint32_t i = 0; i < count; ++i) {
    GroupState group;
    if (!take_group(group, block)) return in_item(i);
    block.groups.push_back(group);
  }
  return true;
}

bool Reader::take_group(GroupState& group, StateBlock& block) {
  constexpr int kColumns = kColumnCount<GroupState> + 1;
  uint32_t count = 0;
  if (!take_array(count, kColumns) || !take_columns(group, count)) return false;
  if (!take_hosts(group, block)) return in_field("hosts");
  return pass_columns(count, kColumns);
}

bool Reader::take_hosts(GroupState& group, StateBlock& block) {
  uint32_t count = 0;
  if (!take_array(count, 0)) return false;
  group.first = static_cast<uint32_t>(block.hosts.size());
  group.count = count;
  for (uint32_t i = 0; i < count; ++i) {
    HostState host;
    if (!take(host)) return in_item(i);
    block.hosts.push_back(host);
  }
  return true;
}

}  // namespace leasehold::wire
