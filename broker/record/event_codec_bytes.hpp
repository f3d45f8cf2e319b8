// Reads values from msgpack by a list of fields for each struct: fields(value) names them in order.
// Structs are arrays, enums and instants are integers. Reading checks every type, range and length,
// and returns an Error where one is wrong. For this folder's codecs only.
//
// kept_all<T>(n) proves at compile time that fields() names all members of T except n: a member
// added later stops the build here instead of missing from the record.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <msgpack.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "broker/record/packer.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::bytes {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: only ever named, to count members
};

/// An optional could be made of Anything in two ways, so the conversion would be ambiguous.
struct AnyOptional {
  template <class T>
  operator std::optional<T>() const;  // NOLINT: only ever named, to count members
};

template <class T, class... Args>
constexpr size_t member_count() {
  if constexpr (requires { T{Args{}..., Anything{}}; }) {
    return member_count<T, Args..., Anything>();
  } else if constexpr (requires { T{Args{}..., AnyOptional{}}; }) {
    return member_count<T, Args..., AnyOptional>();
  } else {
    return sizeof...(Args);
  }
}

/// Every get() returns false at the first fault; problem() says what it is.
class Unpacker {
 public:
  const std::string& problem() const { return problem_; }

  bool get(const msgpack::object& from, bool& value) {
    if (from.type != msgpack::type::BOOLEAN) return wrong("a truth value");
    value = from.via.boolean;
    return true;
  }
  template <std::integral T>
  bool get(const msgpack::object& from, T& value) {
    if (from.type == msgpack::type::POSITIVE_INTEGER) {
      if (!std::in_range<T>(from.via.u64)) return wrong("a smaller number");
      value = static_cast<T>(from.via.u64);
      return true;
    }
    if (from.type != msgpack::type::NEGATIVE_INTEGER) return wrong("an integer");
    if (!std::in_range<T>(from.via.i64)) return wrong("a number in range");
    value = static_cast<T>(from.via.i64);
    return true;
  }
  template <class E>
  requires std::is_enum_v<E>
  bool get(const msgpack::object& from, E& value) {
    int64_t number = 0;
    if (!get(from, number)) return false;
    if (number < 0 || number >= kValues<E>) return wrong("a known value");
    value = static_cast<E>(number);
    return true;
  }
  bool get(const msgpack::object& from, Instant& at) {
    if (from.type == msgpack::type::NIL) {
      at = kNever;
      return true;
    }
    if (from.type == msgpack::type::BOOLEAN) {
      at = Instant{INT64_MIN};
      return !from.via.boolean || wrong("an instant");
    }
    return get(from, at.ms);
  }
  bool get(const msgpack::object& from, IndexSet& groups) {
    std::vector<uint32_t> listed;
    if (!get(from, listed)) return false;
    groups.clear();
    for (const uint32_t group : listed) {
      if (group >= IndexSet::kMost) return wrong("a group that there can be");
      groups.insert(group);
    }
    return true;
  }
  bool get(const msgpack::object& from, std::string& text) {
    if (from.type != msgpack::type::STR) return wrong("a text");
    text.assign(from.via.str.ptr, from.via.str.size);
    return true;
  }
  template <class A, class B>
  bool get(const msgpack::object& from, std::pair<A, B>& value) {
    return is_array(from, 2) && get(from.via.array.ptr[0], value.first) &&
           get(from.via.array.ptr[1], value.second);
  }
  template <class T>
  bool get(const msgpack::object& from, std::optional<T>& value) {
    value.reset();
    return from.type == msgpack::type::NIL || get(from, value.emplace());
  }
  template <class T, class Allocator>
  bool get(const msgpack::object& from, std::vector<T, Allocator>& values) {
    return get_all(from, values);
  }
  template <class T, uint32_t N>
  bool get(const msgpack::object& from, InlineVector<T, N>& values) {
    return get_all(from, values);
  }
  bool get(const msgpack::object& from, Numbers& numbers) {
    Numbers::All all{};
    if (!get(from, all)) return false;
    numbers = all;
    return true;
  }
  template <class T>
  bool get(const msgpack::object& from, SharedList<T>& values) {
    std::vector<T> listed;
    if (!get_all(from, listed)) return false;
    values = std::move(listed);
    return true;
  }
  bool get(const msgpack::object& from, Allocation& allocation) {
    std::vector<ShareSlots> by_share;
    if (!get_all(from, by_share)) return false;
    allocation = Allocation(by_share);
    return true;
  }
  template <std::same_as<Transfers> T>
  bool get(const msgpack::object& from, T& open) {
    std::vector<std::decay_t<decltype(open.front())>> transfers;
    if (!get(from, transfers)) return false;
    open.clear();
    for (auto& transfer : transfers) open.push_back(std::move(transfer));
    return true;
  }
  template <class T, size_t N>
  bool get(const msgpack::object& from, std::array<T, N>& values) {
    if (!is_array(from, N)) return false;
    for (size_t i = 0; i < N; ++i) {
      if (!get(from.via.array.ptr[i], values[i])) return false;
    }
    return true;
  }
  template <class T>
  bool get(const msgpack::object& from, CopyPtr<T>& value) {
    value.reset();
    return from.type == msgpack::type::NIL || get(from, value.emplace());
  }
  template <class T>
  requires requires(T& value) { fields(value); }
  bool get(const msgpack::object& from, T& value) {
    const auto list = fields(value);
    if constexpr (kAddedLater<T> == 0) {
      return get(from, list);
    } else {
      return get_first(from, list, std::tuple_size_v<decltype(list)> - kAddedLater<T>);
    }
  }
  template <class... T>
  bool get(const msgpack::object& from, const std::tuple<T&...>& list) {
    return is_array(from, sizeof...(T)) && get_fields(from, list);
  }

  bool is_array(const msgpack::object& from, size_t size) {
    if (from.type == msgpack::type::ARRAY && from.via.array.size == size) return true;
    return wrong("a list of " + std::to_string(size));
  }
  bool wrong(std::string expected) {
    if (problem_.empty()) problem_ = "expected " + std::move(expected);
    return false;
  }

 private:
  template <class List>
  bool get_all(const msgpack::object& from, List& values) {
    if (from.type != msgpack::type::ARRAY) return wrong("a list");
    values.clear();
    values.resize(from.via.array.size);
    for (uint32_t i = 0; i < from.via.array.size; ++i) {
      if (!get(from.via.array.ptr[i], values[i])) return false;
    }
    return true;
  }
  /// Reads at least `least` fields; absent ones become empty.
  template <class Tuple>
  bool get_first(const msgpack::object& from, const Tuple& list, size_t least) {
    constexpr size_t all = std::tuple_size_v<Tuple>;
    const bool fits = from.type == msgpack::type::ARRAY && from.via.array.size >= least &&
                      from.via.array.size <= all;
    if (!fits) return is_array(from, all);
    const auto take = [&](size_t at, auto& field) {
      if (at < from.via.array.size) return get(from.via.array.ptr[at], field);
      field = std::decay_t<decltype(field)>{};
      return true;
    };
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return (take(I, std::get<I>(list)) && ...);
    }
    (std::make_index_sequence<all>());
  }
  template <class Tuple>
  bool get_fields(const msgpack::object& from, const Tuple& list) {
    const msgpack::object* next = from.via.array.ptr;
    return std::apply([&](auto&... field) { return (get(*next++, field) && ...); }, list);
  }
  std::string problem_;
};

inline tl::unexpected<Error> corrupt(std::string_view what, const std::string& problem) {
  return fail(ErrorCode::corrupt, std::string(what) + " in the database cannot be read: " +
                                      problem + "; restore a backup of the database");
}

/// Parses the one value in the bytes. The result refers to them and copies nothing.
inline Result<msgpack::object_handle> parse(std::string_view what, std::string_view from) {
  try {
    size_t offset = 0;
    // No list has more elements than there are bytes, so a damaged length allocates no more than
    // that.
    const size_t most = from.size();
    msgpack::object_handle handle = msgpack::unpack(
        from.data(), from.size(), offset, [](auto, auto, auto) { return true; }, nullptr,
        msgpack::unpack_limit(most, 0, most, most, 0, 16));
    if (offset != from.size()) return corrupt(what, "there are bytes after its end");
    return handle;
  } catch (const std::exception& error) {  // msgpack's: truncated, too deep, no memory
    return corrupt(what, error.what());
  }
}

/// Calls `read(object, unpacker)`, which fills what the caller wants; bytes left over and malformed
/// ones are Errors.
template <class Read>
Status unpack(std::string_view what, std::string_view from, Read&& read) {
  const Result<msgpack::object_handle> handle = parse(what, from);
  if (!handle) return tl::unexpected(handle.error());
  Unpacker unpacker;
  if (!read(handle->get(), unpacker)) return corrupt(what, unpacker.problem());
  return {};
}

}  // namespace leasehold::bytes
