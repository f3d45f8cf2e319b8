#include "agent/core/reclaim/signals.hpp"

#include <algorithm>

#include "agent/core/reclaim/work_session.hpp"

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

std::string signal_for(const WorkUnit& unit, const std::string& configured) {
  const Result<CommentWords> words = read_comment(unit.comment);
  if (words && words->signal) return *words->signal;
  return is_harmless(configured) ? configured : "";
}

}  // namespace leasehold::agent
