// Visitor: who asks by HTTP: by which name the broker was called, from which address, with whose
// token. Pure. What one may then see: broker/views/branch.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "broker/ports/access.hpp"
#include "broker/ports/http/head.hpp"
#include "broker/ports/operators/permission.hpp"

namespace leasehold {

struct Visitor {
  std::string address;         // whom limits count for
  std::optional<Asker> asker;  // nullopt: no token is asked for, whoever comes is the machine's own
  Tokens::Hash token{};        // of the asker
};

/// A page of elsewhere that has a name of its own point here (DNS rebinding) calls the broker by
/// that name: only those of loopback and `names` are its own, with any port.
bool is_own_name(std::string_view host, std::span<const std::string> names);

/// Behind a proxy every visitor comes from loopback: so a token is needed there, too; and with
/// [security], as loopback's other listeners want keys then.
bool needs_token(const Access& access);

/// The peer's; behind a proxy what that one wrote last into X-Forwarded-For.
std::string address_of(const RequestHead& head, const std::string& peer, const Access& access);

/// Refused: 401, there is no token where one is needed, or it is nobody's.
OrRefusal<Visitor> visitor_of(const RequestHead& head, const std::string& peer,
                              const Access& access);
/// The visitor's token still has its rights, after a reload.
bool still_welcome(const Visitor& visitor, const Access& access);

}  // namespace leasehold
