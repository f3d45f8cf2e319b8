// Encodes values to msgpack bytes with msgpack-cxx's packer. Integers take their shortest form and
// fields are in the order of fields.hpp, so equal values give equal bytes.
#include <msgpack.hpp>

#include "common/check.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/fields.hpp"

namespace leasehold::wire {

namespace {

/// The output that msgpack's packer writes to.
struct Sink {
  Bytes& bytes;
  void write(const char* data, size_t size) {
    const auto* first = reinterpret_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

uint32_t size_of(size_t count) {
  LEASEHOLD_CHECK(count <= UINT32_MAX, "msgpack counts with 32 bits");
  return static_cast<uint32_t>(count);
}

class Writer {
 public:
  explicit Writer(Bytes& bytes) : sink_{bytes}, packer_(sink_) {}

  template <MessageValue T>
  void message(const T& value) {
    packer_.pack_map(2 + present(value));
    write(std::string_view("v"));
    write(uint64_t{kVersion});
    write(std::string_view("t"));
    write(token(message_type<T>()));
    fields(value);
  }

 private:
  void write(std::string_view text) {
    packer_.pack_str(size_of(text.size()));
    packer_.pack_str_body(text.data(), size_of(text.size()));
  }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(uint64_t number) { packer_.pack_uint64(number); }
  void write(uint32_t number) { packer_.pack_uint64(number); }
  void write(int64_t number) { packer_.pack_int64(number); }
  void write(int32_t number) { packer_.pack_int64(number); }
  void write(bool value) { value ? packer_.pack_true() : packer_.pack_false(); }
  void write(Reason reason) { write(leasehold::token(reason)); }
  void write(Fate fate) { write(std::string_view(leasehold::token(fate))); }
  void write(Role role) { write(std::string_view(leasehold::token(role))); }
  void write(Lowering lowering) { write(static_cast<uint64_t>(lowering)); }
  void write(TimeClass time) { write(static_cast<uint64_t>(time)); }
  void write(Division division) { write(static_cast<uint64_t>(division)); }
  void write(NotUp why) { write(static_cast<uint64_t>(why)); }
  template <class T>
  void write(const std::optional<T>& value) {
    write(*value);
  }

  template <class T>
  void write(const std::vector<T>& items) {
    packer_.pack_array(size_of(items.size()));
    for (const T& item : items) write(item);
  }

  template <MapValue T>
  void write(const T& value) {
    packer_.pack_map(present(value));
    fields(value);
  }

  template <RowValue T>
  void write(const T& value) {
    const int count = columns_written(value);
    packer_.pack_array(static_cast<uint32_t>(count));
    columns(value, count);
  }

  void write(const StateBlock& block) {
    packer_.pack_array(size_of(block.groups.size()));
    for (const GroupState& group : block.groups) {
      packer_.pack_array(kColumnCount<GroupState> + 1);
      columns(group, kColumnCount<GroupState>);
      packer_.pack_array(group.count);
      for (const HostState& host : block.hosts_of(group)) write(host);
    }
  }

  template <class M>
  static bool has(const M& /*member*/) {
    return true;
  }
  template <class U>
  static bool has(const std::optional<U>& member) {
    return member.has_value();
  }
  static bool has(const Division& member) { return member != Division::unsaid; }
  static bool has(const NotUp& member) { return member != NotUp::unsaid; }
  /// Counts the fields that are written.
  template <MapValue T>
  static uint32_t present(const T& value) {
    return std::apply(
        [&](const auto&... each) { return (uint32_t{has(value.*each.member)} + ...); },
        Fields<T>::list);
  }

  template <MapValue T>
  void fields(const T& value) {
    std::apply([&](const auto&... each) { (named(value, each), ...); }, Fields<T>::list);
  }
  template <class T, class F>
  void named(const T& value, const F& each) {
    if (!has(value.*each.member)) return;
    write(each.name);
    write(value.*each.member);
  }
  /// Counts the columns up to the last one that is required or has a value other than its default.
  template <RowValue T>
  static int columns_written(const T& value) {
    if constexpr (kColumnsLeast<T> == kColumnCount<T>) {
      return kColumnCount<T>;
    } else {
      static const T kAbsent;
      int at = 0;
      int written = 0;
      const auto look = [&](const auto& each) {
        ++at;
        if (!each.may_lack || !(value.*each.member == kAbsent.*each.member)) written = at;
      };
      std::apply([&](const auto&... each) { (look(each), ...); }, Columns<T>::list);
      return written;
    }
  }
  template <RowValue T>
  void columns(const T& value, int count) {
    [[maybe_unused]] int left = count;
    const auto put = [&](const auto& each) {
      if (kColumnsLeast<T> == kColumnCount<T> || left-- > 0) write(value.*each.member);
    };
    std::apply([&](const auto&... each) { (put(each), ...); }, Columns<T>::list);
  }

  Sink sink_;
  msgpack::packer<Sink> packer_;
};

}  // namespace

template <MessageValue T>
void encode_into(const T& value, Bytes& bytes) {
  bytes.clear();
  Writer(bytes).message(value);
}

template void encode_into(const Welcome&, Bytes&);
template void encode_into(const Hello&, Bytes&);
template void encode_into(const Inventory&, Bytes&);
template void encode_into(const Report&, Bytes&);
template void encode_into(const State&, Bytes&);
template void encode_into(const Heartbeat&, Bytes&);
template void encode_into(const HeartbeatAnswer&, Bytes&);
template void encode_into(const Configuration&, Bytes&);
template void encode_into(const Order&, Bytes&);
template void encode_into(const Refusal&, Bytes&);

void encode_into(const Message& message, Bytes& bytes) {
  std::visit([&](const auto& value) { encode_into(value, bytes); }, message);
}

Bytes encode(const Message& message) {
  Bytes bytes;
  encode_into(message, bytes);
  return bytes;
}

}  // namespace leasehold::wire
