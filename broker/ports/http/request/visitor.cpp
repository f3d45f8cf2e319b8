#include "broker/ports/http/request/visitor.hpp"

#include <algorithm>

#include "common/channel/endpoint.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold {

namespace {

constexpr size_t kAddressBytesMax = 64;

/// Returns the host without its port and without the brackets of an IPv6 address.
std::string name_in(std::string_view host) {
  if (host.starts_with('[')) return lower_case(host.substr(1, host.find(']') - 1));
  return lower_case(host.substr(0, host.find(':')));
}

std::optional<Asker> asker_of(const Tokens::Hash& hash, const Access& access) {
  const std::optional<size_t> who = access.tokens.who(hash);
  if (!who) return std::nullopt;
  const OperatorConfig& known = access.operators.at(*who);
  return Asker{known.name, known.role, known.branch};
}

}  // namespace

bool is_own_name(std::string_view host, std::span<const std::string> names) {
  const std::string name = name_in(host);
  Endpoint loopback;
  loopback.host = name;
  return is_local(loopback) || std::any_of(names.begin(), names.end(), [&](const std::string& own) {
           return name_in(own) == name;
         });
}

bool needs_token(const Access& access) {
  return !access.http.base_path.empty() || !access.tokens.empty() || access.own.has_value();
}

std::string address_of(const RequestHead& head, const std::string& peer, const Access& access) {
  const std::string& forwarded = head.field("x-forwarded-for");
  if (access.http.base_path.empty() || forwarded.empty()) return peer;
  const size_t last = forwarded.find_last_of(", ");
  return forwarded.substr(last == std::string::npos ? 0 : last + 1).substr(0, kAddressBytesMax);
}

OrRefusal<Visitor> visitor_of(const RequestHead& head, const std::string& peer,
                              const Access& access) {
  Visitor visitor{address_of(head, peer, access), std::nullopt, {}};
  if (!needs_token(access)) return visitor;
  const std::string_view token = bearer_token(head.field("authorization"));
  if (token.empty()) {
    return refuse(
        401, ErrorCode::refused,
        "a token is needed: Authorization: Bearer TOKEN, as in the operator's token_file");
  }
  visitor.token = Tokens::hash_of(token);
  visitor.asker = asker_of(visitor.token, access);
  if (visitor.asker) return visitor;
  return refuse(401, ErrorCode::refused, "this token does not belong to an operator (any more)");
}

Refusal rights_changed() {
  return refuse(401, ErrorCode::refused,
                "what this token may do was changed while the question waited; ask again")
      .value();
}

bool still_welcome(const Visitor& visitor, const Access& access) {
  if (!needs_token(access)) return true;
  if (!visitor.asker) return false;
  const std::optional<Asker> now = asker_of(visitor.token, access);
  return now && now->name == visitor.asker->name && now->role == visitor.asker->role &&
         now->branch == visitor.asker->branch;
}

}  // namespace leasehold
