#include "common/wire/text.hpp"

#include <cstdint>

namespace leasehold::wire {

namespace {

/// Returns the bytes of the sequence that `lead` opens; 0 if it opens none.
int sequence_length(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

bool allowed(uint32_t point, int length) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false;  // control characters
  if (length == 3) return point >= 0x800 && (point < 0xd800 || point > 0xdfff);
  if (length == 4) return point >= 0x10000 && point <= 0x10ffff;
  return true;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const int length = sequence_length(lead);
    if (length == 0 || text.size() - i < static_cast<size_t>(length)) return false;
    uint32_t point = length == 1 ? lead : lead & (0x7fu >> length);
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<uint8_t>(text[i + static_cast<size_t>(k)]);
      if ((next & 0xc0) != 0x80) return false;
      point = point << 6 | (next & 0x3fu);
    }
    if (!allowed(point, length)) return false;
    i += static_cast<size_t>(length);
  }
  return true;
}

}  // namespace leasehold::wire
