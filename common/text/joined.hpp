// Texts one after another.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

template <class Texts>
std::string joined(const Texts& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

}  // namespace leasehold
