// The socket that visitors come to.
#pragma once

#include <optional>
#include <string>

#include "common/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

struct HttpSocket {
  OpenFile file;
  std::string address;  // "127.0.0.1:7442": what is really bound
};

/// HOST:PORT; port 0: one that is free. Error (io): what is in the way.
Result<HttpSocket> listen_http(const std::string& address);

struct Newcomer {
  OpenFile socket;
  std::string peer;  // its address, without the port
};
/// nullopt: nobody waits, or (errno) no file can be opened.
std::optional<Newcomer> accept_http(const OpenFile& listener);

}  // namespace leasehold
