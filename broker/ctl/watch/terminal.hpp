// Terminal: the whole screen of whoever runs `leasectl watch`, and its keys. Lines that did not
// change are not written again, so that nothing flickers, over a slow line either. The screen that
// was there before comes back when the object goes; where its process is killed, guarded() sees to
// that.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/ctl/watch/picture.hpp"

namespace leasehold::ctl {

enum class Key : uint8_t {
  quit,
  interrupted,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  pause,
  resized
};

class Terminal {
 public:
  /// Contract: stdin and stdout are a terminal.
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  Size size() const;
  void draw(const std::vector<std::string>& lines);
  /// nullopt: none came within `ms`. `interrupted`: the terminal is gone, or somebody asked the
  /// program to end.
  std::optional<Key> key(int ms);

 private:
  std::vector<std::string> drawn_;
};

/// Runs `what` in a process of its own and gives back what it returns. Whatever ends that process,
/// the terminal is as it was afterwards; ended by a signal: 128 + its number.
int guarded(const std::function<int()>& what);

}  // namespace leasehold::ctl
