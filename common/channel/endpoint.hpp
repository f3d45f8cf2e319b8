// Endpoints as configurations write them: tcp://HOST:PORT and ipc://PATH.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

struct Endpoint {
  bool ipc = false;
  std::string host;  // of tcp; "*": every interface
  int port = 0;      // 0: one that is free
  std::string path;  // of ipc
};

/// Error: what would be right.
Result<Endpoint> parse_endpoint(const std::string& text);

/// Reached from this machine alone: ipc, 127.x.x.x, ::1, localhost.
bool is_local(const Endpoint& endpoint);
/// The same of an endpoint's text; false for one that is none.
bool is_local(const std::string& endpoint);

}  // namespace leasehold
