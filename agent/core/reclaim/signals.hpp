// The signals by which work is told that it must end: which there are, which of them end a process
// that does not catch them, and which one a unit gets. Pure. Not when it is told (reclaim.hpp), and
// not the message that it gets beside (Workload::interrupt).
//
// Most scripts catch nothing, so a signal that ends what does not catch it takes the grace from
// them that it was to announce. It is sent only to work that asks for it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "agent/core/reclaim/work_unit.hpp"

namespace leasehold::agent {

/// Without SIG. KILL and STOP are not among them: nobody could heed them.
inline constexpr std::array<std::string_view, 9> kWarningSignals{
    "USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "URG", "WINCH", "CONT"};

/// As `kill -l` names it: without SIG.
std::string signal_name(const std::string& signal);
bool is_warning_signal(std::string_view name);
/// A process that does not catch it goes on as it was. Not CONT: it wakes what is suspended.
bool is_harmless(std::string_view name);

/// The one that its comment asks for (`leasehold:signal=USR1`), else `configured` if that is
/// harmless; "": none.
std::string signal_for(const WorkUnit& unit, const std::string& configured);

}  // namespace leasehold::agent
