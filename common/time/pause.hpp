// For tests of crashes (hidden option --pause-at): a program that reaches the named place says so
// on stderr and sleeps without end, so that it can be killed exactly there.
#pragma once

#include <string>

namespace leasehold {

/// `place` is the name that the option gave.
[[noreturn]] void pause_here(const std::string& place);

}  // namespace leasehold
