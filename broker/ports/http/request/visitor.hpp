// Visitor tells who asks by HTTP: the name by which the broker was called, the address, and the
// operator whose token came. Pure. broker/views/request/branch.hpp says what an operator may see.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "broker/ports/access.hpp"
#include "broker/ports/http/request/head.hpp"
#include "broker/ports/operators/permission.hpp"

namespace leasehold {

struct Visitor {
  std::string address;         // that limits count for
  std::optional<Asker> asker;  // nullopt: no token is needed, all visitors are the machine's own
  Tokens::Hash token{};        // the asker's
};

/// True for loopback's names and `names`, with any port. A page of another site that lets its own
/// name point here (DNS rebinding) calls the broker by that name.
bool is_own_name(std::string_view host, std::span<const std::string> names);

/// True if visitors need a token: behind a proxy every visitor comes from loopback, and with
/// [security] loopback's other listeners need keys too.
bool needs_token(const Access& access);

/// Returns the peer's address; behind a proxy the one that it wrote last into X-Forwarded-For.
std::string address_of(const RequestHead& head, const std::string& peer, const Access& access);

/// Refused (401): a token is needed and none came, or it is nobody's.
OrRefusal<Visitor> visitor_of(const RequestHead& head, const std::string& peer,
                              const Access& access);
/// True if the visitor still has its rights after a reload.
bool still_welcome(const Visitor& visitor, const Access& access);
/// The answer (401) to a question whose visitor's rights changed while it waited.
Refusal rights_changed();

}  // namespace leasehold
