#include "broker/ctl/broker_address.hpp"

#include <filesystem>
#include <optional>

#include "common/config_file.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kDefaultEndpoint = "tcp://127.0.0.1:7441";

struct Address {
  std::string broker;
  std::string key;
  std::string broker_key;
};

/// nullopt: there is no such file.
Result<std::optional<Address>> read_address(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return std::nullopt;
  ConfigFile file = ConfigFile::read(path);
  Address address;
  address.broker = file.root().text("broker");
  address.key = file.root().text("key");
  address.broker_key = file.root().text("broker_key");
  file.refuse_unknown_keys();
  const std::vector<Error> errors = file.errors();
  if (!errors.empty()) return tl::unexpected(errors.front());
  return address;
}

Result<Address> address_from_files(const Environment& environment, const std::string& system) {
  const std::string home = environment("HOME");
  const std::string own = home.empty() ? "" : home + "/.config/leasehold/ctl.toml";
  for (const std::string& path : {own, system}) {
    Result<std::optional<Address>> found = read_address(path);
    if (!found) return tl::unexpected(found.error());
    if (*found) return **found;
  }
  return Address{};
}

Status refuse_keys(const std::string& endpoint, const Address& keys) {
  if (is_local(endpoint) || (keys.key.empty() && keys.broker_key.empty())) return {};
  return fail(ErrorCode::usage, "keys cannot be used yet, and " + endpoint +
                                    " would need them: a broker on loopback or ipc needs none");
}

}  // namespace

bool is_local(const std::string& endpoint) {
  for (const char* start : {"ipc://", "tcp://127.", "tcp://localhost:", "tcp://[::1]:"}) {
    if (endpoint.starts_with(start)) return true;
  }
  return false;
}

Result<std::string> broker_address(const CommandLine& line, const Environment& environment,
                                   const std::string& system_file) {
  Result<Address> address = address_from_files(environment, system_file);
  const bool named = !line.broker.empty() || !environment("LEASEHOLD_BROKER").empty();
  // A broken file of somebody else must not keep one from naming the broker.
  if (!address && !named) return tl::unexpected(address.error());
  Address found = address.value_or(Address{});
  if (!environment("LEASEHOLD_BROKER").empty()) found.broker = environment("LEASEHOLD_BROKER");
  if (!line.broker.empty()) found.broker = line.broker;
  if (found.broker.empty()) found.broker = kDefaultEndpoint;
  if (!line.key.empty()) found.key = line.key;
  if (!line.broker_key.empty()) found.broker_key = line.broker_key;
  if (Status keys = refuse_keys(found.broker, found); !keys) return tl::unexpected(keys.error());
  return found.broker;
}

}  // namespace leasehold::ctl
