// Base64 (RFC 4648) for bytes that travel as text. libsodium does the work.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

std::string base64(std::string_view bytes);
/// Returns nullopt if the text is not Base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace leasehold
