// ask_ahead: asks for a line of memory before it is read, so that waits for several of them
// overlap.
//
// Not __builtin_prefetch by itself: g++ 12 takes a function that does nothing else for one without
// effects and drops the calls of it that it has not put in line, and with them every line that was
// to be asked for. The empty statement is an effect; it costs no instruction.
#pragma once

namespace leasehold {

inline void ask_ahead(const void* line) {
  __builtin_prefetch(line);
  asm volatile("");
}

}  // namespace leasehold
