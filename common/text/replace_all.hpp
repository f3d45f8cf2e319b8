// Replaces a part of a text by another, wherever it stands.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

/// Text that was put in is not searched again. Contract: `what` is not empty.
inline void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace leasehold
