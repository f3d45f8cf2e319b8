#include "broker/record/log_row.hpp"

#include <algorithm>

#include "broker/record/event_codec_bytes.hpp"

namespace leasehold {

namespace {

constexpr size_t kChunkBytes = (size_t{1} << 20U) - 64;

/// The hashed bytes: numbers in eight bytes each, the body after its length.
class Columns {
 public:
  explicit Columns(std::string& out, const Hash& previous) : out_(out) {
    out_ = bytes_of(previous);
  }
  void number(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) out_ += static_cast<char>(bits >> (8 * byte));
  }
  void bytes(std::string_view value) {
    number(static_cast<int64_t>(value.size()));
    out_ += value;
  }

 private:
  std::string& out_;
};

struct BaseHead {
  int64_t last_event = 0;
  int64_t batch = 0;
  Instant time;
  int core_version = 0;
  std::string log_hash;
  uint64_t state_bytes = 0;
};
template <bytes::Of<BaseHead> V>
auto fields(V& v) {
  return std::tie(v.last_event, v.batch, v.time, v.core_version, v.log_hash, v.state_bytes);
}

Hash chunk_hash(const Hash& previous, std::string_view body) {
  std::string all;
  Columns(all, previous).bytes(body);
  return hash_of(all);
}

tl::unexpected<Error> bad_base(const std::string& what) {
  return bytes::corrupt("the state that history begins with", what);
}

Status read_head(const Chunk& first, BaseHead& head) {
  return bytes::unpack("the state that history begins with", first.body,
                       [&](const msgpack::object& from, bytes::Unpacker& unpacker) {
                         return unpacker.get(from, head);
                       });
}

Status take_head(const std::vector<Chunk>& chunks, Base& base, uint64_t& state_bytes) {
  if (chunks.empty()) return bad_base("it is missing");
  BaseHead head;
  if (Status read = read_head(chunks[0], head); !read) return read;
  if (!take_hash(head.log_hash, base.log_hash)) return bad_base("its hash has not 32 bytes");
  base.last_event = head.last_event;
  base.batch = head.batch;
  base.time = head.time;
  base.core_version = head.core_version;
  state_bytes = head.state_bytes;
  return {};
}

}  // namespace

Hash chain_hash(const Hash& previous, const LogRow& row) {
  thread_local std::string all;
  Columns columns(all, previous);
  columns.number(row.first_event);
  columns.number(row.batch);
  columns.number(row.time.ms);
  columns.number(row.clock_set ? 1 : 0);
  columns.number(row.core_version);
  columns.number(row.epoch);
  columns.bytes(row.body);
  return hash_of(all);
}

std::vector<Chunk> chunks_of(const Base& base) {
  std::vector<Chunk> chunks(1);
  const BaseHead head{base.last_event,
                      base.batch,
                      base.time,
                      base.core_version,
                      std::string(bytes_of(base.log_hash)),
                      base.state.size()};
  bytes::Packer(chunks[0].body).put(head);
  for (size_t at = 0; at < base.state.size(); at += kChunkBytes) {
    chunks.push_back({base.state.substr(at, kChunkBytes), {}});
  }
  Hash previous = base.log_hash;
  for (Chunk& chunk : chunks) previous = chunk.hash = chunk_hash(previous, chunk.body);
  return chunks;
}

Status add_chunk(std::vector<Chunk>& chunks, Chunk chunk, uint64_t& left) {
  if (chunks.empty()) {
    BaseHead head;
    if (Status read = read_head(chunk, head); !read) return read;
    left = head.state_bytes;
  } else if (chunk.body.empty() || chunk.body.size() > left) {
    return bad_base("it has more than its first part says");
  } else {
    left -= chunk.body.size();
  }
  chunks.push_back(std::move(chunk));
  return {};
}

Result<Base> base_of(const std::vector<Chunk>& chunks) {
  Base base;
  uint64_t state_bytes = 0;
  if (const Status head = take_head(chunks, base, state_bytes); !head) {
    return tl::unexpected(head.error());
  }
  Hash previous = base.log_hash;
  for (size_t i = 0; i < chunks.size(); ++i) {
    previous = chunk_hash(previous, chunks[i].body);
    if (previous != chunks[i].hash) {
      return bad_base("the hash of part " + std::to_string(i) + " is not that of its bytes");
    }
    if (i > 0) base.state += chunks[i].body;
  }
  if (base.state.size() != state_bytes) return bad_base("a part of it is missing");
  return base;
}

}  // namespace leasehold
