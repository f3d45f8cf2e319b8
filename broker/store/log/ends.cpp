#include "broker/store/log/ends.hpp"

#include "broker/record/log_body.hpp"

namespace leasehold {

namespace {

Result<std::optional<Base>> base_at(Log& log, int64_t last_event) {
  const Result<std::vector<Chunk>> parts = log.parts(last_event, 0, INT64_MAX);
  if (!parts) return tl::unexpected(parts.error());
  Result<Base> base = base_of(*parts);
  if (!base) return tl::unexpected(base.error());
  if (base->last_event == last_event) return std::move(*base);
  return fail(
      ErrorCode::corrupt,
      "a saved state in the database stands under another event's number; restore a backup");
}

}  // namespace

tl::unexpected<Error> no_hash(const std::string& what) {
  return fail(ErrorCode::corrupt,
              "the hash of " + what + " in the database is not 32 bytes long; restore a backup");
}

Result<LogEnd> read_end(Log& log) {
  LogRow row;
  const Result<bool> there = log.rows(INT64_MAX, Order::newest_first)->next(row);
  if (!there) return tl::unexpected(there.error());
  if (*there) {
    const Result<LogBody> body = LogBody::read(row);
    if (!body) return tl::unexpected(body.error());
    const Result<Instant> time = body->time_of(body->events() - 1);
    if (!time) return tl::unexpected(time.error());
    return LogEnd{row.first_event + body->events() - 1, row.batch, row.hash, *time};
  }
  // No row is left: nothing has happened for so long that retention removed them all.
  const Result<std::optional<Base>> base = newest_base(log);
  if (!base) return tl::unexpected(base.error());
  if (!*base) return LogEnd{};
  return LogEnd{(*base)->last_event, (*base)->batch, (*base)->log_hash, (*base)->time};
}

Result<bool> has_commit(Log& log, int64_t last_event, const Hash& hash) {
  LogRow row;
  const Result<std::optional<RowPlace>> place = log.row_by(last_event);
  if (!place) return tl::unexpected(place.error());
  if (!*place) return false;
  const Result<bool> there = log.rows((*place)->first_event, Order::oldest_first)->next(row);
  if (!there) return tl::unexpected(there.error());
  return *there && row.hash == hash;
}

Result<std::optional<Base>> newest_base(Log& log, int64_t last_event) {
  const Result<std::vector<BasePlace>> bases = log.bases();
  if (!bases) return tl::unexpected(bases.error());
  for (auto base = bases->rbegin(); base != bases->rend(); ++base) {
    if (base->last_event <= last_event) return base_at(log, base->last_event);
  }
  return std::nullopt;
}

Result<std::optional<Base>> oldest_base(Log& log) {
  const Result<std::vector<BasePlace>> bases = log.bases();
  if (!bases) return tl::unexpected(bases.error());
  if (bases->empty()) return std::nullopt;
  return base_at(log, bases->front().last_event);
}

}  // namespace leasehold
