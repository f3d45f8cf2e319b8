#include "broker/record/history_row.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sodium.h>

#include <algorithm>
#include <charconv>

#include "broker/record/audit_json.hpp"
#include "broker/record/event_codec.hpp"
#include "common/reason.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

void append_number(std::string& out, int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

/// {"provider_idle":3,…}: names are tokens, so nothing needs quoting.
void append_numbers(std::string& out, const NumberNames& names,
                    const std::array<int64_t, 6>& numbers) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (*names[i] == '\0') continue;
    out += out.empty() ? "{\"" : ",\"";
    out += names[i];
    out += "\":";
    append_number(out, numbers[i]);
  }
  if (!out.empty()) out += '}';
}

const std::string& cluster_name(const State& state, uint32_t index) {
  static const std::string kNone;
  return index == kNoIndex ? kNone : state.clusters[index].name;
}

/// Of a plan: "<resource group>" or "<resource group>:<path>"; else of the slot group's lease.
std::string lease_of(const State& state, const Record& record) {
  if (record.plan == kNoIndex) {
    return lease_id(state, state.slot_groups[record.group], record.member);
  }
  const ResourceGroupLedger& plan = state.resource_groups[record.plan];
  if (record.consumer == kNoIndex) return plan.name;
  return plan.name + ":" + plan.consumers[record.consumer].path;
}

/// The bytes that are hashed: per column a type and, where it varies, a length.
class Columns {
 public:
  explicit Columns(std::string& out) : out_(out) { out_.clear(); }
  void integer(int64_t value) {
    out_ += 'i';
    word(static_cast<uint64_t>(value));
  }
  void integer(const std::optional<int64_t>& value) { value ? integer(*value) : null(); }
  void text(std::string_view value, char type = 't') {
    if (value.empty()) return null();
    out_ += type;
    word(value.size());
    out_ += value;
  }

 private:
  void null() { out_ += '0'; }
  void word(uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) out_ += static_cast<char>(value >> (8 * byte));
  }
  std::string& out_;
};

void bind_text(SQLite::Statement& to, int index, const std::string& text) {
  if (text.empty()) {
    to.bind(index);
  } else {
    to.bindNoCopy(index, text);
  }
}

void bind_integer(SQLite::Statement& to, int index, const std::optional<int64_t>& value) {
  if (value) {
    to.bind(index, *value);
  } else {
    to.bind(index);
  }
}

/// False: empty, but not NULL, which is never written.
bool read_text(SQLite::Statement& from, int index, std::string& text) {
  const SQLite::Column column = from.getColumn(index);
  const auto* bytes = static_cast<const char*>(column.getBlob());
  text.assign(bytes ? bytes : "", static_cast<size_t>(column.getBytes()));
  return !text.empty() || column.isNull();
}

void read_integer(SQLite::Statement& from, int index, std::optional<int64_t>& value) {
  value.reset();
  if (!from.isColumnNull(index)) value = from.getColumn(index).getInt64();
}

}  // namespace

void clear(EventRow& row) {
  row.kind.clear();
  row.lease.clear();
  row.generation.reset();
  row.epoch.reset();
  row.cluster.clear();
  row.reason.clear();
  row.slots.reset();
  row.from_cluster.clear();
  row.to_cluster.clear();
  row.numbers.clear();
  row.by_whom.clear();
  row.payload.clear();
}

void input_row(EventRow& row, const Event& event, Instant now) {
  clear(row);
  row.time_ms = now.ms;
  row.kind = input_token(event);
  row.cluster = cluster_of(event);
  row.by_whom = by_whom(event);
  if (const auto* command = std::get_if<OperatorCommand>(&event)) row.lease = command->lease;
  if (std::holds_alternative<BrokerStarted>(event)) {
    row.numbers = "{\"core_version\":";
    append_number(row.numbers, kCoreVersion);
    row.numbers += '}';
  }
  encode_event(event, row.payload);
}

void record_row(EventRow& row, const Record& record, Instant now, const State& state,
                std::string_view by) {
  clear(row);
  row.time_ms = now.ms;
  row.kind = record_token(record.kind);
  if (record.group != kNoIndex || record.plan != kNoIndex) row.lease = lease_of(state, record);
  if (record.group != kNoIndex) {
    const SlotGroup& group = state.slot_groups[record.group];
    row.generation = static_cast<int64_t>(group.generation);
    row.epoch = static_cast<int64_t>(record.epoch);
  }
  if (record.group != kNoIndex || record.slots != 0) row.slots = record.slots;
  row.cluster = cluster_name(state, record.cluster);
  if (record.reason != Reason::none) row.reason = token(record.reason);
  row.from_cluster = cluster_name(state, record.from);
  row.to_cluster = cluster_name(state, record.to);
  append_numbers(row.numbers, number_names(record.kind), record.numbers);
  row.by_whom = by;
  if (record.audit == nullptr) return;
  row.by_whom = record.audit->by;
  row.payload = audit_json(*record.audit);
}

Hash chain_hash(const Hash& previous, const EventRow& row) {
  thread_local std::string bytes;
  Columns columns(bytes);
  columns.text({reinterpret_cast<const char*>(previous.data()), previous.size()}, 'b');
  columns.integer(row.id);
  columns.integer(row.batch);
  columns.integer(row.time_ms);
  columns.text(row.kind);
  columns.text(row.lease);
  columns.integer(row.generation);
  columns.integer(row.epoch);
  columns.text(row.cluster);
  columns.text(row.reason);
  columns.integer(row.slots);
  columns.text(row.from_cluster);
  columns.text(row.to_cluster);
  columns.text(row.numbers);
  columns.text(row.by_whom);
  columns.text(row.payload, 'b');
  return hash_of(bytes);
}

Hash hash_of(std::string_view bytes) {
  Hash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  return hash;
}

std::string hex(const Hash& hash) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

void write_row(SQLite::Statement& insert, const EventRow& row) {
  insert.bind(1, row.id);
  insert.bind(2, row.batch);
  insert.bind(3, row.time_ms);
  insert.bindNoCopy(4, row.kind);
  bind_text(insert, 5, row.lease);
  bind_integer(insert, 6, row.generation);
  bind_integer(insert, 7, row.epoch);
  bind_text(insert, 8, row.cluster);
  bind_text(insert, 9, row.reason);
  bind_integer(insert, 10, row.slots);
  bind_text(insert, 11, row.from_cluster);
  bind_text(insert, 12, row.to_cluster);
  bind_text(insert, 13, row.numbers);
  bind_text(insert, 14, row.by_whom);
  if (row.payload.empty()) {
    insert.bind(15);
  } else {
    insert.bindNoCopy(15, row.payload.data(), static_cast<int>(row.payload.size()));
  }
  insert.bindNoCopy(16, row.hash.data(), static_cast<int>(row.hash.size()));
}

bool read_row(SQLite::Statement& query, EventRow& row) {
  row.id = query.getColumn(0).getInt64();
  row.batch = query.getColumn(1).getInt64();
  row.time_ms = query.getColumn(2).getInt64();
  bool sound = read_text(query, 3, row.kind);
  sound &= read_text(query, 4, row.lease);
  read_integer(query, 5, row.generation);
  read_integer(query, 6, row.epoch);
  sound &= read_text(query, 7, row.cluster);
  sound &= read_text(query, 8, row.reason);
  read_integer(query, 9, row.slots);
  sound &= read_text(query, 10, row.from_cluster);
  sound &= read_text(query, 11, row.to_cluster);
  sound &= read_text(query, 12, row.numbers);
  sound &= read_text(query, 13, row.by_whom);
  sound &= read_text(query, 14, row.payload);
  return read_hash(query, 15, row.hash) && sound;
}

bool read_hash(SQLite::Statement& query, int index, Hash& hash) {
  const SQLite::Column column = query.getColumn(index);
  if (column.getBytes() != static_cast<int>(hash.size())) return false;
  const auto* bytes = static_cast<const unsigned char*>(column.getBlob());
  std::copy(bytes, bytes + hash.size(), hash.begin());
  return true;
}

int64_t size_of(const EventRow& row) {
  constexpr size_t kFixed = 32 + 24;  // the hash, and the numbers with their header
  return static_cast<int64_t>(kFixed + row.kind.size() + 2 * row.lease.size() + row.cluster.size() +
                              row.reason.size() + row.from_cluster.size() + row.to_cluster.size() +
                              row.numbers.size() + row.by_whom.size() + row.payload.size());
}

}  // namespace leasehold
