// history: any bytes as what the database keeps as msgpack; the first byte chooses of what kind.
#include <nlohmann/json.hpp>

#include "broker/io/event_codec.hpp"
#include "broker/io/history_snapshot.hpp"
#include "broker/views/liveness.hpp"
#include "broker/views/views.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// A byte may be an item, and an item the largest struct.
constexpr uint64_t kBytesEach = 4 << 10;
constexpr uint64_t kBytesAlways = 64 << 10;

void check_refused(const Error& error) {
  LEASEHOLD_CHECK(error.code == ErrorCode::corrupt, "what cannot be read is damage");
  LEASEHOLD_CHECK(!error.message.empty(), "an error says what is wrong");
}

/// `read` gives a Result, `write` appends the bytes of its value.
template <class Read, class Write>
void check(std::string_view bytes, Read read, Write write) {
  const uint64_t before = fuzz::allocated_bytes();
  const auto value = read(bytes);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * bytes.size(),
                  "memory grows with the bytes that are there");
  if (!value) return check_refused(value.error());
  std::string written;
  write(*value, written);
  const auto again = read(written);
  LEASEHOLD_CHECK(again.has_value(), "what is written can be read");
  std::string twice;
  write(*again, twice);
  LEASEHOLD_CHECK(twice == written, "and is the same");
}

/// A reader that fills a value, as one that gives it.
template <class T, class Fill>
auto giving(Fill fill) {
  return [fill](std::string_view bytes) -> Result<T> {
    T value;
    if (const Status done = fill(bytes, value); !done) return tl::unexpected(done.error());
    return value;
  };
}

void check_state(std::string_view bytes) {
  check(bytes, decode_state, encode_state);
  const Result<State> state = decode_state(bytes);
  if (!state || !check_indices(*state)) return;
  // Every index names something: whoever looks at it finds it.
  static_cast<void>(view_clusters(*state, {}));
  static_cast<void>(view_hosts(*state, {}, true));
  static_cast<void>(view_policies(*state, true));
  for (uint32_t group = 0; group < state->groups.size(); ++group) {
    static_cast<void>(view_lease(*state, group, Json::array()));
    static_cast<void>(view_explain(*state, group));
  }
  static_cast<void>(state_digest(*state));
}

void check_kind(unsigned kind, std::string_view bytes) {
  switch (kind) {
    case 'e':
      return check(bytes, decode_event, encode_event);
    case 'c':
      return check(bytes, decode_config, encode_config);
    case 'w':
      return check(bytes, decode_windows, encode_windows);
    case 's':
      return check_state(bytes);
    case 'h':
      return check(bytes, giving<Host>(decode_host_extra), encode_host_extra);
    case 'p':
      return check(bytes, giving<ExportPolicy>(decode_policy_config), encode_policy_config);
    case 'd':
      return check(bytes, giving<std::vector<HostSlots>>(decode_due), encode_due);
    case 'n':
      return check(bytes, giving<HostSlots>(decode_wanted), encode_wanted);
    default:
      return;
  }
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  leasehold::check_kind(data[0], leasehold::fuzz::text_of({data + 1, size - 1}));
  return 0;
}
