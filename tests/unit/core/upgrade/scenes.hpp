// Sites played up to where transfers are open, one for each kind of transfer. What a release makes
// of them is kept in tests/releases/open, for the releases after it to go on from.
#pragma once

#include <span>

#include "tests/support/site.hpp"

namespace leasehold::test {

struct OpenScene {
  const char* name;  // of the files that keep it
  Site (*play)();
};

std::span<const OpenScene> open_scenes();

}  // namespace leasehold::test
