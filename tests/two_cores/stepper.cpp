// Steps every event of a file of steps from the state beside it, and says what came of it: a line
// for each, or the whole judgement of one. It is built with the core of this tree, and with that
// of another commit (other_core.cmake).
//
//   core_stepper FILE [--exact] [--show STEP]
#include <cstdlib>
#include <iostream>

#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/hash.hpp"
#include "tests/two_cores/judgement.hpp"
#include "tests/two_cores/steps.hpp"

using namespace leasehold;

namespace {

struct Wish {
  std::string file;
  bool exact = false;
  int64_t show = 0;
};

Wish read_wish(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--exact") {
      wish.exact = true;
    } else if (word == "--show" && i + 1 < argc) {
      wish.show = std::atoll(argv[++i]);
    } else {
      wish.file = word;
    }
  }
  return wish;
}

void say(const Wish& wish, int64_t number, const two_cores::Step& given) {
  Result<State> state = decode_state(given.state);
  const Result<Event> event = decode_event(given.event);
  if (!state || !event) {
    std::cout << number
              << " cannot be read: " << (state ? event.error().message : state.error().message)
              << "\n";
    return;
  }
  Effects effects;
  const bool changed = step(*state, *event, Instant{given.now_ms}, effects);
  const std::string found = wish.exact ? two_cores::exact_judgement(*state, effects, changed)
                                       : two_cores::judgement(*state, effects, changed);
  std::cout << number << " " << input_token(*event) << " " << hex(hash_of(found)) << "\n";
  if (wish.show != 0) std::cout << found;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const Wish wish = read_wish(argc, argv);
  std::ifstream in(wish.file, std::ios::binary);
  if (!in) {
    std::cerr << "core_stepper: cannot open \"" << wish.file << "\"; name a file of steps\n";
    return 2;
  }
  two_cores::Step given;
  for (int64_t number = 1; two_cores::read_step(in, given); ++number) {
    if (wish.show == 0 || wish.show == number) say(wish, number, given);
  }
  return 0;
}
