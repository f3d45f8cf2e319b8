// Tape: the values of a msgpack message in a flat row, as msgpack-cxx met them; texts are views of
// the bytes. The one place where the parser is seen. Not a tree: an array's or map's values simply
// follow it. Memory grows with the values really there, never with a length that is only claimed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/wire/codec.hpp"

namespace leasehold::wire {

/// 16 bytes: kind, a size (bytes of a text, items of an array, pairs of a map) and the value.
struct Value {
  enum class Kind : uint8_t { nil, boolean, natural, negative, text, array, map, other };
  Kind kind = Kind::nil;
  uint32_t size = 0;
  union {
    uint64_t natural;
    int64_t negative;
    const char* text;
  };

  std::string_view view() const {
    return size == 0 ? std::string_view() : std::string_view(text, size);
  }
  bool is_text(std::string_view wanted) const { return kind == Kind::text && view() == wanted; }
};

class Tape {
 public:
  /// One whole msgpack value and nothing after it; else malformed or oversized.
  Decoded<void> read(std::span<const uint8_t> bytes);
  /// The first `count` values at the most, whatever follows. False: the bytes are broken before.
  bool read_start(std::span<const uint8_t> bytes, size_t count);
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

/// Where the value after the one at `position` begins. The tape must be whole.
size_t after(const std::vector<Value>& values, size_t position);

}  // namespace leasehold::wire
