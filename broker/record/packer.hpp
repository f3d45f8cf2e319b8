// Writes values as msgpack by a list of fields for each struct: fields(value) names them in order.
// Structs become arrays, enums and instants integers. event_codec_bytes.hpp reads them. For this
// folder's codecs only.
//
// kAddedLater<T> is the number of the last fields() of T that may be absent. They are left out
// where they are empty, so that a value without them has the same bytes as before they existed, and
// older bytes can be read. Only the last fields can be added so.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <msgpack.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "broker/core/model/containers/copy_ptr.hpp"
#include "broker/core/model/containers/index_set.hpp"
#include "broker/core/model/containers/inline_vector.hpp"
#include "broker/core/model/containers/shared_list.hpp"
#include "broker/core/model/slots/allocation.hpp"
#include "broker/core/model/slots/numbers.hpp"
#include "broker/core/model/slots/transfer.hpp"
#include "common/time/instant.hpp"

namespace leasehold::bytes {

template <class S, class T>
concept Of = std::same_as<std::remove_const_t<S>, T>;

/// The number of values of an enum, specialised for each that is written.
template <class E>
inline constexpr int kValues = 0;

template <class T>
inline constexpr size_t kAddedLater = 0;

/// The output of msgpack: appends to a string.
struct Sink {
  std::string& out;
  void write(const char* data, size_t size) { out.append(data, size); }
};

class Packer {
 public:
  explicit Packer(std::string& out) : sink_{out}, packer_(sink_) {}

  void array(size_t size) { packer_.pack_array(static_cast<uint32_t>(size)); }
  void put(bool value) { value ? packer_.pack_true() : packer_.pack_false(); }
  template <std::integral T>
  void put(T value) {
    if constexpr (std::is_signed_v<T>) {
      packer_.pack_int64(value);
    } else {
      packer_.pack_uint64(value);
    }
  }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) {
    static_assert(kValues<E> > 0, "name the number of values of this enum");
    packer_.pack_int64(static_cast<int64_t>(value));
  }
  /// Writes the two ends of time, which are frequent, in one byte each.
  void put(Instant at) {
    if (at == kNever) {
      packer_.pack_nil();
    } else if (at.ms == INT64_MIN) {
      packer_.pack_false();
    } else {
      packer_.pack_int64(at.ms);
    }
  }
  void put(const IndexSet& groups) { put(groups.all()); }
  void put(const std::string& text) {
    packer_.pack_str(static_cast<uint32_t>(text.size()));
    packer_.pack_str_body(text.data(), static_cast<uint32_t>(text.size()));
  }
  void binary(std::string_view value) {
    packer_.pack_bin(static_cast<uint32_t>(value.size()));
    packer_.pack_bin_body(value.data(), static_cast<uint32_t>(value.size()));
  }
  template <class A, class B>
  void put(const std::pair<A, B>& value) {
    array(2);
    put(value.first);
    put(value.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    if (value) {
      put(*value);
    } else {
      packer_.pack_nil();
    }
  }
  template <class T, class Allocator>
  void put(const std::vector<T, Allocator>& values) {
    put_all(values);
  }
  template <class T, uint32_t N>
  void put(const InlineVector<T, N>& values) {
    put_all(values);
  }
  void put(const Numbers& numbers) { put(numbers.all()); }
  template <class T>
  void put(const SharedList<T>& values) {
    put_all(values);
  }
  void put(const Allocation& allocation) {
    array(allocation.size());
    for (size_t share = 0; share < allocation.size(); ++share) put_all(allocation[share]);
  }
  template <std::same_as<Transfers> T>
  void put(const T& open) {
    array(open.size());
    for (const auto& transfer : open) put(transfer);
  }
  template <class T, size_t N>
  void put(const std::array<T, N>& values) {
    array(N);
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const CopyPtr<T>& value) {
    if (value) {
      put(*value);
    } else {
      packer_.pack_nil();
    }
  }
  template <class T>
  requires requires(const T& value) { fields(value); }
  void put(const T& value) {
    const auto list = fields(value);
    if constexpr (kAddedLater<T> == 0) {
      put(list);
    } else {
      put_first(list, size_written<kAddedLater<T>>(list));
    }
  }
  template <class... T>
  void put(const std::tuple<T&...>& list) {
    array(sizeof...(T));
    std::apply([this](const auto&... field) { (put(field), ...); }, list);
  }

 private:
  template <class List>
  void put_all(const List& values) {
    array(values.size());
    for (const auto& value : values) put(value);
  }
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return !static_cast<bool>(value);  // no value, false, or an enum's first
    }
  }
  /// Returns the number of fields to write: all but the last empty ones of those added later.
  template <size_t later, class Tuple>
  static size_t size_written(const Tuple& list) {
    constexpr size_t all = std::tuple_size_v<Tuple>;
    size_t size = all - later;
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((is_empty(std::get<all - later + I>(list)) ? size : size = all - later + I + 1), ...);
    }
    (std::make_index_sequence<later>());
    return size;
  }
  template <class Tuple>
  void put_first(const Tuple& list, size_t size) {
    array(size);
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((I < size ? put(std::get<I>(list)) : void()), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Tuple>>());
  }

  Sink sink_;
  msgpack::packer<Sink> packer_;
};

}  // namespace leasehold::bytes
