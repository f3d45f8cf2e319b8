#include "agent/workload/support/call_request.hpp"

namespace leasehold::agent {

std::string command_text(const CallRequest& request) {
  std::string text;
  for (const std::string& argument : request.argv) {
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n'\"\\$*") == argument.npos;
    text += (text.empty() ? "" : " ") + (plain ? argument : "'" + argument + "'");
  }
  return text;
}

}  // namespace leasehold::agent
