#include "broker/views/not_up.hpp"

namespace leasehold {

std::string not_up_words(const Host& host, const std::string& owner) {
  switch (host.facts.not_up) {
    case wire::NotUp::asleep:
      return "power saving of " + owner + " has switched it off";
    case wire::NotUp::waking:
      return owner + " is switching it on";
    case wire::NotUp::not_now:
      return "it restarts, goes off or is blocked at " + owner;
    case wire::NotUp::unsaid:
      break;
  }
  return owner + " calls it down or drains it";
}

std::string up_again_words(const Host& host, const std::string& owner) {
  if (host.facts.not_up == wire::NotUp::asleep) {
    return "work of " + owner +
           ", or an administrator there, switches it on; nothing lends it "
           "before";
  }
  return "when " + owner + " calls it up again its slots count again";
}

}  // namespace leasehold
