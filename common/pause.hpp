// Pause: for tests of crashes (hidden option --pause-at): a program that got to the place it was
// told of says so on stderr and sleeps for ever, so that it can be killed exactly there.
#pragma once

#include <string>

namespace leasehold {

/// `place`: as the option named it.
[[noreturn]] void pause_here(const std::string& place);

}  // namespace leasehold
