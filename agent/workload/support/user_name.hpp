// The user that this agent runs as, by whom workload managers know it.
#pragma once

#include <pwd.h>
#include <unistd.h>

#include <string>

namespace leasehold::agent {

/// A user without a name is called by its number.
inline std::string user_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
}

}  // namespace leasehold::agent
