// The signals that can warn work that it must end, and which of them end a process that does not
// catch them. Pure. Which one a job gets is decided elsewhere (signal_for, work_session.hpp), as is
// when it gets it (reclaim.hpp) and with which message (Workload::interrupt).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace leasehold::agent {

/// Without SIG. KILL and STOP are not among them: nobody could heed them.
inline constexpr std::array<std::string_view, 9> kWarningSignals{
    "USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "URG", "WINCH", "CONT"};

/// Returns the name as `kill -l` prints it: without SIG.
std::string signal_name(const std::string& signal);
bool is_warning_signal(std::string_view name);
/// True if a process that does not catch the signal goes on as it was. CONT is not harmless: it
/// wakes what is suspended.
bool is_harmless(std::string_view name);

}  // namespace leasehold::agent
