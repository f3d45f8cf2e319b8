// Base64 (RFC 4648) of bytes that go as text. libsodium does it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

std::string base64(std::string_view bytes);
/// nullopt: it is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace leasehold
