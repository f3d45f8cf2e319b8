// Field: the name or position of one field of a message on the wire, with the member that holds it.
// fields.hpp has the tables of them. Used inside common/wire only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/wire/codec.hpp"

namespace leasehold::wire {

template <class T, class M>
struct Field {
  std::string_view name;
  M T::*member;
  bool may_lack = false;  // added after the first release: an older program does not send it
  uint64_t least = 0;     // the least value of a natural number
  uint64_t most = UINT64_MAX;
};
template <class T, class M>
constexpr Field<T, M> field(std::string_view name, M T::*member) {
  return {name, member, false};
}
/// A field that, if absent, has its value in T{}. An optional without a value is not written.
template <class T, class M>
constexpr Field<T, M> added(std::string_view name, M T::*member) {
  return {name, member, true};
}
/// Returns the field of the epoch of a leadership.
template <class T>
constexpr Field<T, std::optional<uint64_t>> epoch_of(std::string_view name,
                                                     std::optional<uint64_t> T::*member) {
  return {name, member, true, 1, kEpochMost};
}

/// Returns the field of a number from 0 to `most`.
template <class T>
constexpr Field<T, int64_t> natural_up_to(std::string_view name, int64_t T::*member, int64_t most) {
  return {name, member, false, 0, static_cast<uint64_t>(most)};
}

/// A map with named fields.
template <class T>
struct Fields;
/// A row is an array whose columns go by position; columns after these are ignored. Added columns
/// are the last ones. Trailing columns are left out if they all have the value that absence means.
template <class T>
struct Columns;

}  // namespace leasehold::wire
