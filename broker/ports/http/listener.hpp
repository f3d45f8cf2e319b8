// Opens the socket that visitors connect to, and accepts their connections.
#pragma once

#include <optional>
#include <string>

#include "common/files/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

struct HttpSocket {
  OpenFile file;
  std::string address;  // "127.0.0.1:7442": what is really bound
};

/// Listens at HOST:PORT; port 0 takes a free one. Error (io): the address cannot be listened at.
Result<HttpSocket> listen_http(const std::string& address);

struct Newcomer {
  OpenFile socket;
  std::string peer;  // its address, without the port
};
/// Takes the next connection. nullopt: none waits, or it cannot be taken; errno says why.
std::optional<Newcomer> accept_http(const OpenFile& listener);

}  // namespace leasehold
