// Bytes own a message's bytes. Views of them are std::span<const uint8_t>.
#pragma once

#include <cstdint>
#include <vector>

namespace leasehold {

using Bytes = std::vector<uint8_t>;

}  // namespace leasehold
