// Making: the whole answer to a question by HTTP, on a thread that may wait for it: asked of who
// follows the log or reads the past, and wrapped: when it is of, which page of it, its tag,
// compressed. Not who may ask (visitor.hpp), nor the thread (answers.hpp).
#pragma once

#include <string>

#include "broker/ports/http/bulletin.hpp"
#include "broker/ports/http/counts.hpp"
#include "broker/ports/http/reply.hpp"
#include "broker/ports/http/route.hpp"
#include "broker/ports/http/visitor.hpp"
#include "broker/ports/operators/lookups.hpp"

namespace leasehold {

/// One question, with all that its answer depends on.
struct Inquiry {
  Route route;
  Notice notice;  // of when it came
  std::optional<Asker> asker;
  bool gzip = false;
  bool page = false;  // whether this broker has one
  HttpCounts counts;  // of `about`
};

/// Two with the same text have the same answer.
std::string text_of(const Inquiry& inquiry);
/// It takes as long as reading the past does; else as long as the state takes to be told.
bool is_of_past(const Inquiry& inquiry);

/// It tells what the loop knows of its agents, or of itself.
bool tells_of_agents(const Inquiry& inquiry);

Reply make_reply(const Inquiry& inquiry, const Lookups& lookups, const HeldBytes& held_bytes);

}  // namespace leasehold
