// Notify: tells the service supervisor (systemd's NOTIFY_SOCKET protocol) how the program stands.
// Without a supervisor it does nothing.
#pragma once

#include <string_view>

namespace leasehold {

/// "READY=1", "STOPPING=1", "STATUS=…"; several lines at once are one message. False: it was to be
/// told and could not be.
bool notify_supervisor(std::string_view state);

}  // namespace leasehold
