#include "broker/store/coming_row.hpp"

#include "broker/record/event_codec.hpp"
#include "common/version.hpp"

namespace leasehold {

void ComingRow::add(const Event& event, Instant now, std::span<const Record> records,
                    const State& state) {
  body_.add(event, now);
  const std::string_view by = by_whom(event);
  for (const Record& record : records) body_.add(record, now, state, by);
}

const LogRow& ComingRow::make(const State& state, int64_t epoch, LogEnd& end) {
  row_.first_event = end.last_event + 1;
  row_.batch = end.batch + 1;
  row_.time = body_.time();
  row_.clock_set = body_.clock_set();
  row_.core_version = kCoreVersion;
  row_.epoch = epoch;
  row_.body.clear();
  end.last_event += body_.events();
  image_bytes_.clear();
  images_.write(state, image_bytes_);
  body_.finish(image_bytes_, row_.body);
  row_.hash = chain_hash(end.hash, row_);
  end.batch = row_.batch;
  end.hash = row_.hash;
  end.time = state.now;
  return row_;
}

}  // namespace leasehold
