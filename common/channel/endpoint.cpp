#include "common/channel/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace leasehold {

namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";
// The address of a Unix socket holds 108 bytes, its terminating zero included.
constexpr size_t kIpcPathMax = 107;

bool is_port(std::string_view text, int& port) {
  if (text == "*") return true;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  return !text.empty() && code == std::errc() && rest == text.data() + text.size() && port >= 0 &&
         port <= 65535;
}

bool is_host(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t/") == std::string_view::npos;
}

bool split_host_port(std::string_view text, Endpoint& endpoint) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;  // this is an IPv6 address without its brackets
  }
  endpoint.host = host;
  return is_host(host) && is_port(text.substr(colon + 1), endpoint.port);
}

/// True for 127.x.x.x, but not for names that merely begin so, such as 127.example.org.
bool is_loopback_v4(std::string_view host) {
  return host.starts_with("127.") && std::count(host.begin(), host.end(), '.') == 3 &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// ZeroMQ takes '@' and '*' for more than paths. An abstract name ('@') has neither owner nor mode:
/// any user of the machine connects to it.
std::string ipc_path_fault(const std::string& path) {
  if (path.empty()) return "the path after ipc:// is missing";
  if (path.starts_with('@') || path == "*") {
    return "'" + path + "' is no path: any user could open an abstract name ('@'), and nobody " +
           "knows one that is chosen ('*'); write ipc:///PATH, which belongs to its owner alone";
  }
  return path.size() <= kIpcPathMax ? "" : "the path of a socket has at most 107 characters";
}

}  // namespace

Result<Endpoint> parse_endpoint(const std::string& text) {
  Endpoint endpoint;
  if (text.starts_with(kIpc)) {
    endpoint.ipc = true;
    endpoint.path = text.substr(kIpc.size());
    const std::string fault = ipc_path_fault(endpoint.path);
    if (fault.empty()) return endpoint;
    return fail(ErrorCode::usage, fault);
  }
  if (text.starts_with(kTcp) && split_host_port(text.substr(kTcp.size()), endpoint)) {
    return endpoint;
  }
  return fail(ErrorCode::usage, "'" + text +
                                    "' is no endpoint; write tcp://HOST:PORT, as "
                                    "tcp://127.0.0.1:7440, or ipc:///PATH");
}

bool is_local(const Endpoint& endpoint) {
  return endpoint.ipc || endpoint.host == "localhost" || endpoint.host == "::1" ||
         is_loopback_v4(endpoint.host);
}

bool is_local(const std::string& endpoint) {
  const Result<Endpoint> parsed = parse_endpoint(endpoint);
  return parsed && is_local(*parsed);
}

}  // namespace leasehold
