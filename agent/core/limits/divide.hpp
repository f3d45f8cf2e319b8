// Divide: the operator's setting on whether hosts may be split ([hosts] divisible), which overrides
// what the workload manager's adapter finds. Pure.
#pragma once

#include <cstdint>

#include "agent/core/limits/view.hpp"
#include "common/tokens.hpp"

namespace leasehold::agent {

enum class Divide : uint8_t { as_found = 0, yes = 1, no = 2 };
constexpr auto tokens_of(Divide) {
  using enum Divide;
  return tokens<Divide>({{as_found, "as-found"}, {yes, "yes"}, {no, "no"}});
}

/// Returns what is reported of a host that the adapter finds to be `found`. Where the operator's
/// setting changes the finding, the result shows that the operator decided it.
wire::Division divided_by(Divide word, wire::Division found);

/// Does that for all hosts of the look, own and imported.
void divide_by(Divide word, View& view);

}  // namespace leasehold::agent
