#include "common/wire/tape.hpp"

#include <msgpack.hpp>
#include <string>

namespace leasehold::wire {

namespace {

/// More scratch memory than this is freed after the message that needed it.
constexpr size_t kValuesKept = 1u << 16;

/// msgpack-cxx calls this for each value; false stops the parser.
class TapeWriter : public msgpack::null_visitor {
 public:
  enum class Stop { none, values, depth, broken };

  TapeWriter(std::vector<Value>& values, size_t values_max)
      : values_(values), values_max_(values_max) {}

  bool visit_nil() { return put(Value::Kind::nil, 0, 0); }
  bool visit_boolean(bool value) { return put(Value::Kind::boolean, 0, value ? 1 : 0); }
  bool visit_positive_integer(uint64_t value) { return put(Value::Kind::natural, 0, value); }
  bool visit_negative_integer(int64_t value) {
    // The parser calls this for every signed form, also for numbers that are not negative.
    const auto kind = value < 0 ? Value::Kind::negative : Value::Kind::natural;
    return put(kind, 0, static_cast<uint64_t>(value));
  }
  bool visit_float32(float) { return put(Value::Kind::other, 0, 0); }
  bool visit_float64(double) { return put(Value::Kind::other, 0, 0); }
  bool visit_bin(const char*, uint32_t) { return put(Value::Kind::other, 0, 0); }
  bool visit_ext(const char*, uint32_t) { return put(Value::Kind::other, 0, 0); }
  bool visit_str(const char* text, uint32_t size) {
    if (!put(Value::Kind::text, size, 0)) return false;
    values_.back().text = text;
    return true;
  }
  bool start_array(uint32_t items) { return descend() && put(Value::Kind::array, items, 0); }
  bool end_array() { return ascend(); }
  bool start_map(uint32_t pairs) { return descend() && put(Value::Kind::map, pairs, 0); }
  bool end_map() { return ascend(); }
  void parse_error(size_t, size_t) { stop_ = Stop::broken; }
  void insufficient_bytes(size_t, size_t) { stop_ = Stop::broken; }

  Stop stop() const { return stop_; }

 private:
  bool put(Value::Kind kind, uint32_t size, uint64_t natural) {
    if (values_.size() >= values_max_) {
      stop_ = Stop::values;
      return false;
    }
    Value& value = values_.emplace_back();
    value.kind = kind;
    value.size = size;
    value.natural = natural;
    return true;
  }
  bool descend() {
    if (++depth_ <= kDepthMax) return true;
    stop_ = Stop::depth;
    return false;
  }
  bool ascend() {
    --depth_;
    return true;
  }

  std::vector<Value>& values_;
  size_t values_max_;
  int depth_ = 0;
  Stop stop_ = Stop::none;
};

struct Parsed {
  TapeWriter::Stop stop = TapeWriter::Stop::none;
  size_t read = 0;  // in bytes
};

Parsed parse(std::span<const uint8_t> bytes, std::vector<Value>& values, size_t values_max) {
  values.clear();
  TapeWriter writer(values, values_max);
  Parsed parsed;
  msgpack::parse(reinterpret_cast<const char*>(bytes.data()), bytes.size(), parsed.read, writer);
  parsed.stop = writer.stop();
  return parsed;
}

tl::unexpected<DecodeError> refuse_tape(DecodeFailure kind, std::string message) {
  return tl::unexpected<DecodeError>(
      DecodeError{{ErrorCode::refused, std::move(message), {}, 0, 0}, kind, std::nullopt});
}

tl::unexpected<DecodeError> refuse_tape(TapeWriter::Stop stop, size_t size) {
  if (stop == TapeWriter::Stop::values) {
    return refuse_tape(DecodeFailure::oversized, "the message has more than " +
                                                     std::to_string(kValuesMax) +
                                                     " values; it must be split or be smaller");
  }
  if (stop == TapeWriter::Stop::depth) {
    return refuse_tape(DecodeFailure::oversized, "the message is nested deeper than " +
                                                     std::to_string(kDepthMax) + " levels");
  }
  return refuse_tape(DecodeFailure::malformed,
                     "the " + std::to_string(size) + " bytes are not one whole msgpack value");
}

}  // namespace

Decoded<void> Tape::read(std::span<const uint8_t> bytes) {
  if (bytes.size() > kMessageBytesMax) {
    values_.clear();
    return refuse_tape(DecodeFailure::oversized,
                       "the message has " + std::to_string(bytes.size()) + " bytes; at most " +
                           std::to_string(kMessageBytesMax) + " are taken");
  }
  if (values_.capacity() > kValuesKept) std::vector<Value>().swap(values_);
  const Parsed parsed = parse(bytes, values_, kValuesMax);
  if (parsed.stop != TapeWriter::Stop::none) return refuse_tape(parsed.stop, bytes.size());
  if (parsed.read != bytes.size()) {
    return refuse_tape(DecodeFailure::malformed,
                       std::to_string(bytes.size() - parsed.read) +
                           " bytes follow the message; there must be none");
  }
  return {};
}

bool Tape::read_start(std::span<const uint8_t> bytes, size_t count) {
  const Parsed parsed = parse(bytes, values_, count);
  return values_.size() == count || parsed.stop == TapeWriter::Stop::none;
}

size_t after(const std::vector<Value>& values, size_t position) {
  uint64_t open = 1;  // values still to be skipped
  while (open > 0) {
    const Value& value = values[position++];
    --open;
    if (value.kind == Value::Kind::array) open += value.size;
    if (value.kind == Value::Kind::map) open += 2 * uint64_t{value.size};
  }
  return position;
}

}  // namespace leasehold::wire
