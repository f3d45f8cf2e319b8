// Reader takes typed values off a tape and, if one does not fit, says where and what would be
// right. Used inside common/wire only. Every take() either moves past a whole value or returns
// false; after that only failure() has a meaning.
#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "common/check.hpp"
#include "common/wire/fields.hpp"
#include "common/wire/tape.hpp"

namespace leasehold::wire {

class Reader {
 public:
  explicit Reader(const std::vector<Value>& values, size_t position = 0)
      : values_(values), position_(position) {}

  const Value& peek() const {
    LEASEHOLD_CHECK(position_ < values_.size(), "a whole tape holds what its sizes say");
    return values_[position_];
  }
  void pass() { position_ = after(values_, position_); }

  template <class T>
  requires std::is_integral_v<T> &&(!std::is_same_v<T, bool>)bool take(T& number) {
    const Value& value = peek();
    if (value.kind == Value::Kind::natural && value.natural <= kMax<T>) {
      number = static_cast<T>(value.natural);
    } else if (std::is_signed_v<T> && value.kind == Value::Kind::negative &&
               value.negative >= kMin<T>) {
      number = static_cast<T>(value.negative);
    } else {
      return refuse_number(kMin<T>, kMax<T>);
    }
    ++position_;
    return true;
  }
  bool take(bool& flag);
  bool take(std::string& text);
  bool take(Reason& reason);
  bool take(Fate& fate);
  bool take(Role& role);
  bool take(Lowering& lowering);
  bool take(TimeClass& time);
  bool take(Division& division);
  bool take(NotUp& why);
  bool take(StateBlock& block);

  template <class T>
  bool take(std::vector<T>& items) {
    uint32_t count = 0;
    if (!take_array(count, 0)) return false;
    size_t i = 0;
    for (; i < count; ++i) {  // grows with the values that are there; elements keep their memory
      if (i == items.size()) items.emplace_back();
      if (!take(items[i])) return in_item(i);
    }
    items.resize(i);
    return true;
  }

  template <class T>
  bool take(std::optional<T>& value) {
    if (!value) value.emplace();  // an existing value keeps its memory
    return take(*value);
  }

  template <RowValue T>
  bool take(T& row) {
    uint32_t count = 0;
    return take_array(count, kColumnsLeast<T>) && take_columns(row, count) &&
           pass_columns(count, kColumnCount<T>);
  }

  /// Reads a map by its table: every field at most one time, in any order; unknown ones are
  /// skipped.
  template <MapValue T>
  bool take(T& value) {
    if (peek().kind != Value::Kind::map) return refuse("must be a map with named fields");
    const uint32_t pairs = peek().size;
    ++position_;
    uint64_t seen = 0;
    int expected = 0;
    for (uint32_t i = 0; i < pairs; ++i) {
      if (!take_pair(value, seen, expected)) return false;
    }
    seen |= default_added(value, seen);
    return (seen & kAllSeen<T>) == kAllSeen<T> || refuse_missing(Fields<T>::list, seen);
  }

  /// Returns "groups[3].hosts[0].limit is 3000000000; it must be an integer from … to …".
  std::string failure() const;
  DecodeFailure kind() const { return kind_; }

 private:
  template <class T>
  static constexpr uint64_t kMax = static_cast<uint64_t>(std::numeric_limits<T>::max());
  template <class T>
  static constexpr int64_t kMin = static_cast<int64_t>(std::numeric_limits<T>::min());
  template <MapValue T>
  static constexpr uint64_t kAllSeen = (uint64_t{1} << kFieldCount<T>)-1;

  bool refuse(std::string problem, DecodeFailure kind = DecodeFailure::bad_field);
  bool refuse_number(int64_t least, uint64_t most);
  bool in_field(std::string_view name);
  bool in_item(size_t index);
  bool take_array(uint32_t& count, int least);
  bool take_group(GroupState& group, StateBlock& block);
  bool take_hosts(GroupState& group, StateBlock& block);

  /// "v" and "t" are no fields of a message, but may not occur twice either. 0: any other key.
  static uint64_t envelope_bit(const Value& key) {
    if (key.is_text("v")) return uint64_t{1} << 62;
    return key.is_text("t") ? uint64_t{1} << 63 : 0;
  }

  bool pass_columns(uint32_t count, int known) {
    for (uint32_t i = static_cast<uint32_t>(known); i < count; ++i) pass();
    return true;
  }

  /// Reads the columns that the row has; the others become as in T{}.
  template <RowValue T>
  bool take_columns(T& row, uint32_t count) {
    [[maybe_unused]] uint32_t left = count;
    const auto one = [&](const auto& each) {
      if constexpr (kColumnsLeast<T> != kColumnCount<T>) {
        if (left == 0) {
          row.*each.member = T{}.*each.member;
          return true;
        }
        --left;
      }
      return take(row.*each.member) || in_field(each.name);
    };
    return std::apply([&](const auto&... each) { return (one(each) && ...); }, Columns<T>::list);
  }

  template <class T>
  bool take_pair(T& value, uint64_t& seen, int& expected) {
    const Value& key = peek();
    pass();
    const int index = key.kind == Value::Kind::text ? find(Fields<T>::list, key.view(), expected)
                                                    : kFieldCount<T>;
    const uint64_t bit = index < kFieldCount<T> ? uint64_t{1} << index : envelope_bit(key);
    if ((seen & bit) != 0) return refuse("stands twice; once is right") || in_field(key.view());
    seen |= bit;
    if (index == kFieldCount<T>) {
      pass();
      return true;
    }
    expected = index + 1;
    return take_field(value, index, std::make_index_sequence<kFieldCount<T>>());
  }

  template <class T, size_t... I>
  bool take_field(T& value, int index, std::index_sequence<I...>) {
    bool fits = false;
    static_cast<void>(((index == static_cast<int>(I) &&
                        (fits = take_one(value, std::get<I>(Fields<T>::list)), true)) ||
                       ...));
    return fits;
  }
  template <class T, class F>
  bool take_one(T& value, const F& each) {
    return (within(each) && take(value.*each.member)) || in_field(each.name);
  }
  /// Checks that the next value is a number in the field's range, if that is narrower than its
  /// type's.
  template <class F>
  bool within(const F& each) {
    if (each.most == UINT64_MAX) return true;
    const Value& value = peek();
    const bool fits = value.kind == Value::Kind::natural && value.natural >= each.least &&
                      value.natural <= each.most;
    return fits || refuse_number(static_cast<int64_t>(each.least), each.most);
  }

  /// Returns the position of the field called `name`. It tries the one after the last found first.
  template <class List>
  static int find(const List& list, std::string_view name, int expected) {
    return std::apply(
        [&](const auto&... each) {
          const std::string_view names[] = {each.name...};
          if (expected < kCount<List> && names[expected] == name) return expected;
          int index = 0;
          while (index < kCount<List> && names[index] != name) ++index;
          return index;
        },
        list);
  }

  /// Gives absent fields that may be absent their default, and returns their bits.
  template <class T>
  static uint64_t default_added(T& value, uint64_t seen) {
    uint64_t lacking = 0;
    uint64_t bit = 1;
    const auto look = [&](const auto& each) {
      if (each.may_lack && (seen & bit) == 0) {
        value.*each.member = T{}.*each.member;
        lacking |= bit;
      }
      bit <<= 1;
    };
    std::apply([&](const auto&... each) { (look(each), ...); }, Fields<T>::list);
    return lacking;
  }

  template <class List>
  bool refuse_missing(const List& list, uint64_t seen) {
    return std::apply(
        [&](const auto&... each) {
          const std::string_view names[] = {each.name...};
          size_t index = 0;
          while ((seen >> index & 1) != 0) ++index;
          return refuse("is missing") || in_field(names[index]);
        },
        list);
  }

  const std::vector<Value>& values_;
  size_t position_;
  std::string place_;
  std::string problem_;
  DecodeFailure kind_ = DecodeFailure::bad_field;
};

}  // namespace leasehold::wire
