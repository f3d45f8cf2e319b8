// A row of a state as a test speaks of it: host, limit, used, up. It prints itself.
#pragma once

#include <array>

#include "common/wire/message.hpp"

namespace leasehold::agent {

inline std::array<int32_t, 4> shows(const wire::HostState& row) {
  return {static_cast<int32_t>(row.host), row.limit, row.used, row.up ? 1 : 0};
}
using Shown = std::array<int32_t, 4>;

}  // namespace leasehold::agent
