// Endpoints as configurations write them: tcp://HOST:PORT and ipc://PATH.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

struct Endpoint {
  bool ipc = false;
  std::string host;  // for tcp; "*": every interface
  int port = 0;      // for tcp; 0: any free port
  std::string path;  // for ipc
};

/// The error says what would be right.
Result<Endpoint> parse_endpoint(const std::string& text);

/// True if only this machine can reach it: ipc, 127.x.x.x, ::1, localhost.
bool is_local(const Endpoint& endpoint);
/// The same for an endpoint's text; false if the text is no endpoint.
bool is_local(const std::string& endpoint);

}  // namespace leasehold
