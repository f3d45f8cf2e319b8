// Picture: what `leasectl watch` shows, as lines of text that fit the terminal. Pure: of the
// broker's answers and the terminal's size. Not how it gets there (terminal.hpp).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/views/json.hpp"

namespace leasehold::ctl {

struct Shown {
  Json status;          // null: nothing was answered yet
  Json leases;          // a list
  Json decisions;       // rows of history, newest last
  std::string trouble;  // why nothing newer is shown; "": it is new
  size_t first = 0;     // lease at the top
  bool paused = false;
};

struct Size {
  size_t columns = 80;
  size_t lines = 24;
};

/// As many lines as the terminal has, none wider; colours only where `colour`. `bars` of UTF-8
/// blocks or, where the terminal shows none, of '#'.
std::vector<std::string> picture(const Shown& shown, Size size, bool colour, bool blocks);

/// How many leases fit: by so much a page turns.
size_t leases_shown(Size size);

}  // namespace leasehold::ctl
