#include "broker/store/postgres/session.hpp"

#include "common/database_name.hpp"
#include "common/files/regular_file.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold {

namespace {

/// The limits report a server that is gone within some seconds, whatever the network says.
constexpr const char* kLimits =
    "connect_timeout=5&tcp_user_timeout=5000&keepalives_idle=5&keepalives_interval=2&"
    "keepalives_count=3&application_name=leasehold";

/// A reader of a URL that names several hosts asks the primary, unless the URL chooses: a replica
/// may be behind. A single host may be asked whatever it is.
std::string with_limits(const std::string& url, PostgresSession::Use use) {
  const std::string all = with_parameters(url, kLimits);
  if (use == PostgresSession::Use::to_write) return all + "&target_session_attrs=read-write";
  const bool chosen = names_parameter(url, "target_session_attrs");
  return names_several_hosts(url) && !chosen ? all + "&target_session_attrs=primary" : all;
}

/// libpq opens them itself, and waits at a pipe for ever.
Status check_named_files(const std::string& url) {
  for (const std::string& file : files_named_by(url)) {
    const std::string why = irregular_file(file);
    if (!why.empty()) return fail(ErrorCode::io, file + " " + why);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PostgresSession>> PostgresSession::open(
    const std::string& url, Use use, std::chrono::milliseconds answers_within) {
  const std::string name = without_password(url);
  if (Status regular = check_named_files(url); !regular) return tl::unexpected(regular.error());
  try {
    auto connection = std::make_unique<ServerConnection>(with_limits(url, use));
    return std::unique_ptr<PostgresSession>(
        new PostgresSession(name, std::move(connection), answers_within));
  } catch (const std::exception& error) {
    return fail(ErrorCode::io, "the database " + name + " cannot be reached: " +
                                   without_password(url, std::string(trimmed(error.what()))));
  }
}

void PostgresSession::expect_answer() {
  if (unhurried_ == 0) stall_timeout_.begin(answers_within_);
}

tl::unexpected<Error> PostgresSession::said(const std::exception& error, bool hung_up) const {
  if (hung_up) {
    return fail(ErrorCode::io, "the database " + name_ + " has not answered for " +
                                   std::to_string(answers_within_.count()) +
                                   " ms: the connection is given up");
  }
  // A lost connection gives the server's reason, where it sent one.
  const std::string reason = connection_->is_open() ? "" : connection_->loss_reason();
  return fail(ErrorCode::io, "the database " + name_ + " says: " +
                                 (reason.empty() ? std::string(trimmed(error.what())) : reason));
}

Status PostgresSession::run_all(const std::string& sql) {
  const auto done = guarded([&] {
    if (open_) return open_->exec(sql);
    pqxx::nontransaction alone(*connection_);
    return alone.exec(sql);
  });
  return done ? Status{} : tl::unexpected(done.error());
}

Status PostgresSession::begin(Sees sees) {
  const auto begun = guarded([&] {
    if (sees == Sees::newest) {
      open_ = std::make_unique<pqxx::transaction<pqxx::read_committed>>(*connection_);
    } else {
      using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::readwrite_policy::read_only>;
      open_ = std::make_unique<Snapshot>(*connection_);
    }
    return true;
  });
  return begun ? Status{} : tl::unexpected(begun.error());
}

Status PostgresSession::commit() {
  const auto done = guarded([&] {
    open_->commit();
    return true;
  });
  roll_back();
  return done ? Status{} : tl::unexpected(done.error());
}

/// A rollback waits for an answer, too.
void PostgresSession::roll_back() noexcept {
  if (open_ && connection_->is_open()) expect_answer();
  open_.reset();
  stall_timeout_.end();
}

}  // namespace leasehold
