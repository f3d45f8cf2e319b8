// Samples: one message of each type and more that are at an edge. The golden vectors are made from
// them; property tests start from them.
#pragma once

#include <string>
#include <vector>

#include "common/wire/codec.hpp"

namespace leasehold::wire {

struct Sample {
  std::string name;  // of its golden vector; begins with the token of its type
  Message message;
};
const std::vector<Sample>& samples();

/// Bytes as another program may write them: `as` names the sample that they mean.
struct Foreign {
  std::string name;
  std::string as;
  Bytes bytes;
};
const std::vector<Foreign>& foreign_forms();

/// Bytes that are refused, and as what.
struct Bad {
  std::string name;
  DecodeFailure kind;
  Bytes bytes;
};
const std::vector<Bad>& bad_forms();

/// Decodes msgpack bytes by a decoder of another make: JSON text, keys in the order they stand.
std::string as_json(const Bytes& bytes);

}  // namespace leasehold::wire
