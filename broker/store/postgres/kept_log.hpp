// PostgresKept: bases and rows on a server, written and removed by whoever leads. Each call is one
// transaction that first renews the leadership, as every change does.
#pragma once

#include "broker/store/bases.hpp"
#include "broker/store/postgres/leader.hpp"

namespace leasehold {

class PostgresKept : public KeptLog {
 public:
  /// Both outlive it.
  PostgresKept(PostgresSession& session, const Leadership& mine) : session_(session), mine_(mine) {}

  Status put(std::span<const BasePart> parts) override;
  Result<Since> since_base() override;
  /// Of rows: what deletion leaves is used again.
  Result<int64_t> used_bytes() override;
  Status remove_before(int64_t base) override;

 private:
  Status put_one(const BasePart& part);
  Status remove_rows(int64_t base);

  PostgresSession& session_;
  const Leadership& mine_;
};

}  // namespace leasehold
