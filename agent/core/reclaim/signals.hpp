// The signals by which work can be told that it must end: which there are, and which of them end a
// process that does not catch them. Pure. Not which one a job gets (signal_for, work_session.hpp),
// when it is told (reclaim.hpp), or the message that it gets beside it (Workload::interrupt).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace leasehold::agent {

/// Without SIG. KILL and STOP are not among them: nobody could heed them.
inline constexpr std::array<std::string_view, 9> kWarningSignals{
    "USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "URG", "WINCH", "CONT"};

/// As `kill -l` names it: without SIG.
std::string signal_name(const std::string& signal);
bool is_warning_signal(std::string_view name);
/// A process that does not catch it goes on as it was. Not CONT: it wakes what is suspended.
bool is_harmless(std::string_view name);

}  // namespace leasehold::agent
