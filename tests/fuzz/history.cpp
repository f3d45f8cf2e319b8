// history feeds any bytes as what the log keeps as msgpack; the first byte chooses of what kind.
// Rows have a fixed number of columns, which changes of the bytes alone seldom hit: now and then an
// input is made from a sample, so that no corpus must follow when a column is added.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/record/event_codec.hpp"
#include "broker/record/images/images.hpp"
#include "broker/record/indices.hpp"
#include "broker/record/log_body.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/views.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/unit/views/site.hpp"

namespace leasehold {

namespace {

/// A byte may be an item, and an item the largest struct.
constexpr uint64_t kBytesEach = 4 << 10;
constexpr uint64_t kBytesAlways = 64 << 10;

void check_refused(const Error& error) {
  LEASEHOLD_CHECK(error.code == ErrorCode::corrupt, "what cannot be read is damage");
  LEASEHOLD_CHECK(!error.message.empty(), "an error says what is wrong");
}

/// `read` gives a Result, `write` appends the bytes of its value. False: it is damage.
template <class Read, class Write>
bool check(std::string_view bytes, Read read, Write write) {
  const uint64_t before = fuzz::allocated_bytes();
  const auto value = read(bytes);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * bytes.size(),
                  "memory grows with the bytes that are there");
  if (!value) {
    check_refused(value.error());
    return false;
  }
  std::string written;
  write(*value, written);
  const auto again = read(written);
  LEASEHOLD_CHECK(again.has_value(), "what is written can be read");
  std::string twice;
  write(*again, twice);
  LEASEHOLD_CHECK(twice == written, "and is the same");
  return true;
}

/// Every index names something: whoever looks at it finds it.
void look_at(const State& state) {
  static_cast<void>(view_clusters(state, {}));
  static_cast<void>(view_hosts(state, {}, true));
  static_cast<void>(view_policies(state, true));
  for (uint32_t group = 0; group < state.slot_groups.size(); ++group) {
    for (const LeaseRef& lease : leases_of(state, group)) {
      static_cast<void>(view_lease(state, lease, Json::array()));
      static_cast<void>(view_explain(state, lease));
    }
  }
  static_cast<void>(test::state_digest(state));
}

/// Applies the images of a commit to a state that is there.
bool check_images(std::string_view bytes) {
  const uint64_t before = fuzz::allocated_bytes();
  State state = site::state();
  const Status applied = apply_images(bytes, state);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= 4 * kBytesAlways + kBytesEach * bytes.size(),
                  "memory grows with the bytes that are there");
  if (!applied) {
    check_refused(applied.error());
    return false;
  }
  look_at(state);
  return true;
}

bool check_body(std::string_view bytes) {
  LogRow row;
  row.first_event = 1;
  row.body = bytes;
  const Result<LogBody> body = LogBody::read(row);
  if (!body) {
    check_refused(body.error());
    return false;
  }
  HistoryRow event;
  bool sound = true;
  for (int64_t i = 0; i < body->events(); ++i) {
    const bool whole = body->event(i, event).has_value();
    sound = sound && whole && body->time_of(i).has_value();
    if (whole && is_input(event)) static_cast<void>(decode_event(event.payload));
  }
  return sound;
}

bool check_state(std::string_view bytes) {
  if (!check(bytes, decode_state, encode_state)) return false;
  const Result<State> state = decode_state(bytes);
  if (!state || !check_indices(*state)) return true;
  look_at(*state);
  return true;
}

bool check_kind(unsigned kind, std::string_view bytes) {
  switch (kind) {
    case 'e':
      return check(bytes, decode_event, encode_event);
    case 's':
      return check_state(bytes);
    case 'i':
      return check_images(bytes);
    case 'b':
      return check_body(bytes);
    default:
      return false;
  }
}

wire::StateBlock block() {
  wire::StateBlock block;
  block.hosts = {{0, 4, 3, true, 4}, {1, 2, 0, false, -1}};
  block.groups = {{7, 41, true, 0, 0, 1}, {9, 300, false, 1, 1, 1}};
  return block;
}

ResolvedWindows windows() {
  return {site::kNoon + 60'000, {{"pool", {{site::kNoon, site::kNoon + 1'000}}}}, {}};
}

std::vector<Event> events() {
  AgentHello hello;
  hello.cluster = "east";
  hello.state = block();
  StateReported state;
  state.cluster = "west";
  state.state = block();
  OperatorCommand command;
  command.by = "ana";
  command.lease = "pool:west";
  InventoryReported inventory;
  inventory.hosts = {site::host("big1", 8)};
  inventory.hosts[0].booleans = {"ssd"};
  inventory.hosts[0].numbers_milli = {{"lic", 1'500}};
  return {BrokerStarted{},
          ConfigLoaded{site::state().config, windows(), "start"},
          WindowsResolved{windows()},
          hello,
          AgentLost{},
          inventory,
          state,
          Tick{},
          command,
          InventoryChanged{"east", 7, inventory.hosts, {"big2"}},
          RecordedLater{"east"},
          TablesFailed{false, "no room"},
          WorkEnded{"west", {{1, "42", wire::Fate::failed, 1, Reason::overdue, 2, 3, 4, 5, "ann"}}},
          CopyRefused{"west", {}},
          ClockSet{"ana"},
          OperatorRefused{Reason::none, "ana", "local", "drain", "east", "", "not allowed", 3}};
}

std::string images() {
  State state = site::state();
  clear_marks(state);
  ImageWriter writer;
  writer.begin(state);
  for (uint32_t group = 0; group < state.slot_groups.size(); ++group) {
    state.slot_groups[group].dirty = true;
    state.dirty_groups.push_back(group);
  }
  for (Cluster& cluster : state.clusters) {
    cluster.dirty = cluster.hosts_dirty = state.dirty_clusters = true;
    for (Host& host : cluster.hosts) host.closed = !host.closed;
  }
  state.config.leeway_ms += 1;
  for (PolicyState& policy : state.policies) policy.open = !policy.open;
  state.dirty_config = true;
  std::string written;
  writer.write(state, written);
  return written;
}

std::string body() {
  BodyWriter writer;
  for (const Event& event : events()) writer.add(event, site::kNoon);
  Record record;
  record.kind = RecordKind::flip;
  record.group = 0;
  record.member = 1;
  record.slots = 4;
  writer.add(record, site::kNoon + 5, site::state(), "ana");
  std::string written;
  writer.finish(images(), written);
  return written;
}

/// One of each kind and more, as they stand in the database, after the letter of their kind.
const std::vector<std::string>& samples() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (const Event& event : events()) encode_event(event, made.emplace_back("e"));
    encode_state(site::state(), made.emplace_back("s"));
    made.push_back("i" + images());
    made.push_back("b" + body());
    return made;
  }();
  return all;
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  if (size == 0) {
    for (const std::string& sample : samples()) {
      LEASEHOLD_CHECK(
          check_kind(static_cast<uint8_t>(sample[0]), std::string_view(sample).substr(1)),
          "what is written is read");
    }
    return 0;
  }
  check_kind(data[0], fuzz::text_of({data + 1, size - 1}));
  return 0;
}

#ifdef LEASEHOLD_FUZZ

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t size_max);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t size_max,
                                          unsigned seed) {
  const auto& samples = leasehold::samples();
  if (seed % 32 == 0) {
    const std::string& sample = samples[seed / 32 % samples.size()];
    size = std::min(sample.size(), size_max);
    std::copy_n(sample.begin(), size, data);
  }
  return LLVMFuzzerMutate(data, size, size_max);
}

#endif
