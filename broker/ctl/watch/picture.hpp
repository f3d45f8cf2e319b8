// Picture: the screen of `leasectl watch` as lines of text that fit the terminal. It is a pure
// function of the broker's answers and the terminal's size. Writing it to the terminal is done in
// terminal.hpp.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/views/json.hpp"

namespace leasehold::ctl {

struct Shown {
  Json status;  // null: there was no answer yet
  Json leases;
  Json decisions;       // rows of history, the newest last
  std::string trouble;  // why nothing newer is shown; "": it is current
  size_t first = 0;     // index of the lease at the top
  bool paused = false;
};

struct Size {
  size_t columns = 80;
  size_t lines = 24;
};

/// Returns as many lines as the terminal has, none wider; with ANSI colours if `colour`. Bars
/// consist of UTF-8 blocks if `blocks`, else of '#'.
std::vector<std::string> picture(const Shown& shown, Size size, bool colour, bool blocks);

/// Returns how many leases fit, which is the size of a page.
size_t leases_shown(Size size);

}  // namespace leasehold::ctl
