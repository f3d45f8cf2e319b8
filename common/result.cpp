#include "common/result.hpp"

namespace leasehold {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::unreachable:
      return 3;
    case ErrorCode::unknown:
    case ErrorCode::refused:
    case ErrorCode::io:
    case ErrorCode::corrupt:
    case ErrorCode::version:
    case ErrorCode::elsewhere:
      return 1;
  }
  return 1;
}

std::string describe(const Error& error) {
  if (error.file.empty()) return error.message;
  std::string place = error.file;
  if (error.line > 0) place += ":" + std::to_string(error.line);
  if (error.line > 0 && error.column > 0) place += ":" + std::to_string(error.column);
  return place + ": " + error.message;
}

Error joined(const std::vector<Error>& errors) {
  Error all = errors.front();
  for (size_t i = 1; i < errors.size(); ++i) all.message += "\n" + describe(errors[i]);
  return all;
}

}  // namespace leasehold
