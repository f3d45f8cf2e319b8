// Making makes the whole answer to a question by HTTP, on a thread that may wait: it looks the
// result up (../../operators/lookups.hpp) and wraps it with its event, its page, its tag and its
// compression. ../request/visitor.hpp says who may ask; answers.hpp owns the thread.
#pragma once

#include <string>

#include "broker/ports/http/answers/bulletin.hpp"
#include "broker/ports/http/answers/counts.hpp"
#include "broker/ports/http/answers/reply.hpp"
#include "broker/ports/http/request/route.hpp"
#include "broker/ports/http/request/visitor.hpp"
#include "broker/ports/operators/lookups.hpp"

namespace leasehold {

/// One question, with all that its answer depends on.
struct Inquiry {
  Route route;
  Notice notice;  // as it was when the question came
  std::optional<Asker> asker;
  bool gzip = false;
  bool page = false;  // true if this broker has a page
  HttpCounts counts;  // for `about` and metrics
};

/// Returns the key of an inquiry: two with the same text and event have the same answer.
std::string text_of(const Inquiry& inquiry);
/// True if the answer reads the past, which may take long; else it is made of the state.
bool is_of_past(const Inquiry& inquiry);

/// True if the answer needs what the loop knows of its agents, or of itself.
bool tells_of_agents(const Inquiry& inquiry);

Reply make_reply(const Inquiry& inquiry, const Lookups& lookups, const HeldBytes& held_bytes);

}  // namespace leasehold
