// Tape is the values of a msgpack message in a flat row, in the order in which msgpack-cxx met
// them; texts are views of the bytes. Only this file uses the parser. It is no tree: the values of
// an array or map follow it. Memory grows with the values really there, never with a length that is
// only claimed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/wire/codec.hpp"

namespace leasehold::wire {

/// One value in 16 bytes: kind, size (bytes of a text, items of an array, pairs of a map) and the
/// value.
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
  /// Reads one whole msgpack value and nothing after it. It fails as malformed or oversized.
  Decoded<void> read(std::span<const uint8_t> bytes);
  /// Reads at most the first `count` values, whatever follows. Returns false if the bytes are
  /// broken before.
  bool read_start(std::span<const uint8_t> bytes, size_t count);
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

/// Returns where the value after the one at `position` begins. The tape must be whole.
size_t after(const std::vector<Value>& values, size_t position);

}  // namespace leasehold::wire
