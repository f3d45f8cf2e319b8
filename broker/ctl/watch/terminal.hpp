// Terminal: the whole screen of `leasectl watch`, and its keys. Unchanged lines are not written
// again, so that nothing flickers, even over a slow connection. The earlier screen comes back when
// the object is destroyed; where its process is killed, guarded() restores it.
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
  /// Returns nullopt if no key came within `ms`. `interrupted`: the terminal is gone, or the
  /// program was asked to end.
  std::optional<Key> key(int ms);

 private:
  std::vector<std::string> drawn_;
};

/// Runs `what` in a process of its own and returns its result. However that process ends, the
/// terminal is restored; if a signal ended it, the result is 128 + its number.
int guarded(const std::function<int()>& what);

}  // namespace leasehold::ctl
