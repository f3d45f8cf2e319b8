// A file of steps: for each event the state before it, as bytes. A core that reads one steps every
// event from the state that stands beside it, whatever it would have come to by itself.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace leasehold::two_cores {

struct Step {
  int64_t now_ms = 0;
  std::string event;
  std::string state;
};

inline void write_number(std::ostream& out, int64_t number) {
  out.write(reinterpret_cast<const char*>(&number), sizeof number);
}

inline void write_step(std::ostream& out, const Step& step) {
  write_number(out, step.now_ms);
  write_number(out, static_cast<int64_t>(step.event.size()));
  write_number(out, static_cast<int64_t>(step.state.size()));
  out << step.event << step.state;
}

/// False: the file is at its end.
inline bool read_step(std::istream& in, Step& step) {
  int64_t event = 0;
  int64_t state = 0;
  const auto read = [&in](int64_t& number) {
    return static_cast<bool>(in.read(reinterpret_cast<char*>(&number), sizeof number));
  };
  if (!read(step.now_ms) || !read(event) || !read(state)) return false;
  step.event.resize(static_cast<size_t>(event));
  step.state.resize(static_cast<size_t>(state));
  return in.read(step.event.data(), event) && in.read(step.state.data(), state);
}

}  // namespace leasehold::two_cores
