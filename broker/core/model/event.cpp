#include "broker/core/model/event.hpp"

namespace leasehold {

const char* token(Command command) {
  switch (command) {
    case Command::rebalance:
      return "rebalance";
    case Command::drain:
      return "drain";
    case Command::resume:
      return "resume";
    case Command::close:
      return "close";
    case Command::open:
      return "open";
    case Command::freeze:
      return "freeze";
    case Command::thaw:
      return "thaw";
    case Command::forget:
      break;
  }
  return "forget";
}

std::optional<Command> command_from(std::string_view word) {
  for (size_t c = 0; c <= static_cast<size_t>(Command::forget); ++c) {
    if (word == token(static_cast<Command>(c))) return static_cast<Command>(c);
  }
  return std::nullopt;
}

}  // namespace leasehold
