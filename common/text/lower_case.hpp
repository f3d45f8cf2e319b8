// Lower case for words of protocols and files: keys, header names, days. It changes ASCII alone,
// whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

inline std::string lower_case(std::string_view text) {
  std::string low(text);
  for (char& c : low) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return low;
}

}  // namespace leasehold
