// Result is a value, or an Error that names the place, what is wrong and what would be right. It is
// for bad input, bad messages and failed calls; programming errors are CHECKs (check.hpp).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "common/tokens.hpp"

namespace leasehold {

/// The kinds of error that a caller may branch on. They map to the programs' exit codes (see
/// exit_code).
enum class ErrorCode {
  usage,        // bad command line or configuration: exit 2
  unknown,      // an id that nobody knows: exit 1
  refused,      // not allowed now; the message says why: exit 1
  unreachable,  // no answer: exit 3
  io,           // file, socket, database: exit 1
  corrupt,      // stored data does not hold together: exit 1
  version,      // written by a newer program: exit 1
  elsewhere,    // another broker leads, and can do it: exit 1
};
/// Returns the names in JSON.
constexpr auto tokens_of(ErrorCode) {
  using enum ErrorCode;
  return tokens<ErrorCode>({{usage, "usage"},
                            {unknown, "unknown"},
                            {refused, "refused"},
                            {unreachable, "unreachable"},
                            {io, "io"},
                            {corrupt, "corrupt"},
                            {version, "version"},
                            {elsewhere, "elsewhere"}});
}

/// A place in a file: line and column count from 1; 0 means unknown.
struct Place {
  int line = 0;
  int column = 0;
  bool operator==(const Place&) const = default;
};

struct Error {
  ErrorCode code = ErrorCode::refused;
  std::string message;  // what is wrong, and what would be right
  std::string file;     // empty: no file is concerned
  int line = 0;         // from 1; 0: unknown
  int column = 0;       // from 1; 0: unknown
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message), {}, 0, 0});
}

/// Returns 1 if the operation failed, 2 for bad usage, 3 if it was not reachable; never 0.
int exit_code(ErrorCode code);
/// Returns "file:line:column: message" without the parts that are unknown.
std::string describe(const Error& error);
/// Joins all errors of a file into one, a line each. Contract: `errors` is not empty.
Error joined(const std::vector<Error>& errors);

}  // namespace leasehold
