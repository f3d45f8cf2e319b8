#include "agent/core/work/signals.hpp"

#include <algorithm>

namespace leasehold::agent {

std::string signal_name(const std::string& signal) {
  return signal.starts_with("SIG") ? signal.substr(3) : signal;
}

bool is_warning_signal(std::string_view name) {
  return std::find(kWarningSignals.begin(), kWarningSignals.end(), name) != kWarningSignals.end();
}

bool is_harmless(std::string_view name) {
  return name == "URG" || name == "WINCH";
}

}  // namespace leasehold::agent
