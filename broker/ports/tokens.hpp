// Tokens finds the operator of a token, for HTTP. It keeps hashes alone, and compares them in a
// time that reveals nothing. Keys of the control endpoint: operators/permission.hpp.
//
// A token file is text: lines that begin with "# " are for people, one line is the token; whoever
// can read it has the operator's rights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/daemon.hpp"
#include "common/result.hpp"

namespace leasehold {

class Tokens {
 public:
  static constexpr size_t kLeastCharacters = 16;
  static constexpr size_t kMostCharacters = 512;
  using Hash = std::array<uint8_t, 32>;

  /// Reads the token files of the operators that have one. Refused (usage), with the place of the
  /// operator: a file that others can read, that is missing or too short, or has another's token.
  static Result<Tokens> read(const std::vector<OperatorConfig>& operators);

  static Hash hash_of(std::string_view token);
  /// Returns the operator's position among those that were read; nullopt: it is nobody's (any
  /// more).
  std::optional<size_t> who(const Hash& hash) const;
  bool empty() const { return tokens_.empty(); }

 private:
  struct Token {
    Hash hash;
    size_t of = 0;
  };
  std::vector<Token> tokens_;
};

}  // namespace leasehold
