#include "broker/ports/tokens.hpp"

#include <sodium.h>

#include <algorithm>

#include "common/files/private_file.hpp"

namespace leasehold {

namespace {

constexpr SecretWords kWords{"the token file",
                             "make one: (umask 077; openssl rand -base64 32 > FILE)",
                             "make a new token: (umask 077; openssl rand -base64 32 > FILE)"};

Result<std::string> read_token(const std::string& path) {
  Result<std::vector<std::string>> lines = read_private_lines(path, kWords);
  if (!lines) return tl::unexpected(lines.error());
  const auto right = [](const std::string& line) {
    return line.size() >= Tokens::kLeastCharacters && line.size() <= Tokens::kMostCharacters &&
           std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c < 0x7F; });
  };
  if (lines->size() == 1 && right(lines->front())) return std::move(lines->front());
  return fail(ErrorCode::usage, "the token file " + path + " holds no token: one line of " +
                                    std::to_string(Tokens::kLeastCharacters) + " to " +
                                    std::to_string(Tokens::kMostCharacters) +
                                    " visible characters of ASCII, without spaces; " + kWords.make);
}

tl::unexpected<Error> at(const OperatorConfig& of, Error error) {
  error.file = of.source.file;
  error.line = of.source.line;
  return tl::unexpected(std::move(error));
}

}  // namespace

Tokens::Hash Tokens::hash_of(std::string_view token) {
  Hash hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(token.data()),
                     token.size(), nullptr, 0);
  return hash;
}

Result<Tokens> Tokens::read(const std::vector<OperatorConfig>& operators) {
  Tokens tokens;
  for (size_t i = 0; i < operators.size(); ++i) {
    const OperatorConfig& each = operators[i];
    if (each.token_file.empty()) continue;
    Result<std::string> token = read_token(each.token_file);
    if (!token) return at(each, token.error());
    const Hash hash = hash_of(*token);
    sodium_memzero(token->data(), token->size());
    if (const std::optional<size_t> other = tokens.who(hash)) {
      return at(each, Error{ErrorCode::usage,
                            "the token file " + each.token_file + " of operator '" + each.name +
                                "' holds the token of operator '" + operators[*other].name +
                                "' too; every operator needs one of its own",
                            {},
                            0,
                            0});
    }
    tokens.tokens_.push_back({hash, i});
  }
  return tokens;
}

/// All of them are compared, whichever it is.
std::optional<size_t> Tokens::who(const Hash& hash) const {
  std::optional<size_t> found;
  for (const Token& each : tokens_) {
    if (sodium_memcmp(each.hash.data(), hash.data(), hash.size()) == 0) found = each.of;
  }
  return found;
}

}  // namespace leasehold
