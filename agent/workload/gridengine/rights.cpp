// The part of cell.hpp that asks what the agent's user may do in the cell.
#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/support/user_name.hpp"

namespace leasehold::agent {

Result<bool> GridEngineCell::lists(const std::string& option, const std::string& name) const {
  const Result<std::string> text = output("qconf", {option});
  if (!text) return tl::unexpected(text.error());
  return ("\n" + *text + "\n").find("\n" + name + "\n") != std::string::npos;
}

/// Returns the cell's name of this machine, by its aliases; "": not known.
std::string GridEngineCell::local_host() const {
  const Result<std::string> text = output("gethostname", {"-aname"});
  if (!text) return "";
  return text->substr(0, text->find_first_of(" \n"));
}

Result<std::vector<std::string>> GridEngineCell::lacking() const {
  std::vector<std::string> lacking;
  const Result<bool> manager = lists("-sm", user_name());
  if (!manager) return tl::unexpected(manager.error());
  if (!*manager) {
    lacking.push_back("user " + user_name() + " is no manager of the cell '" + settings_.cell +
                      "', so it cannot set slots of queues or requeue other users' jobs; " +
                      "right would be: qconf -am " + user_name());
  }
  const std::string host = local_host();
  if (host.empty()) return lacking;
  const Result<bool> administrative = lists("-sh", host);
  if (!administrative) return tl::unexpected(administrative.error());
  if (!*administrative) {
    lacking.push_back("host " + host + " is no administrative host of the cell '" + settings_.cell +
                      "', so qconf changes nothing from here; " + "right would be: qconf -ah " +
                      host);
  }
  return lacking;
}

}  // namespace leasehold::agent
