// A database of a test's own on the server that LEASEHOLD_POSTGRES names
// (tests/postgres/postgres_server.py).
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "broker/store/postgres/store.hpp"
#include "tests/support/lead_in_turn.hpp"
#include "tests/support/recorded_site.hpp"

namespace leasehold::test {

class ServerDatabase {
 public:
  ServerDatabase() : name_("test_" + std::to_string(++made())) {
    admin("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
    admin("CREATE DATABASE " + name_);
  }
  /// With it the sessions that a pooler keeps for it: of thirty databases they fill the server.
  /// With LEASEHOLD_KEEP_DATABASES it is left to who reads it afterwards.
  ~ServerDatabase() {
    if (std::getenv("LEASEHOLD_KEEP_DATABASES") != nullptr) return;
    try {
      admin("DROP DATABASE " + name_ + " WITH (FORCE)");
    } catch (const std::exception& left) {
      WARN(name_ << " is left behind: " << left.what());
    }
  }
  ServerDatabase(const ServerDatabase&) = delete;
  ServerDatabase& operator=(const ServerDatabase&) = delete;

  std::string url() const { return server() + name_; }
  const std::string& name() const { return name_; }

  /// Past every rule of the broker's.
  pqxx::result sql(const std::string& statement) const {
    pqxx::connection connection(url());
    pqxx::nontransaction alone(connection);
    return alone.exec(statement);
  }
  int64_t number(const std::string& statement) const { return sql(statement)[0][0].as<int64_t>(); }

  /// Ends every session on it, as a server that was restarted does.
  void cut() const {
    admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name_ + "'");
  }
  /// Renames it, and back; what another database did under its name meanwhile does not show in it.
  void put_aside_and_back() const {
    admin("SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE datname = '" +
          name_ + "'");
    admin("ALTER DATABASE " + name_ + " RENAME TO aside_" + name_);
    admin("ALTER DATABASE aside_" + name_ + " RENAME TO " + name_);
  }

 private:
  static std::string server() {
    const char* named = std::getenv("LEASEHOLD_POSTGRES");
    REQUIRE(named != nullptr);
    return named;
  }
  static int& made() {
    static int count = 0;
    return count;
  }
  static void admin(const std::string& statement) {
    pqxx::connection connection(server() + "postgres");
    pqxx::nontransaction alone(connection);
    alone.exec(statement);
  }

  std::string name_;
};

inline PostgresStore::Options leads_as(const std::string& name) {
  PostgresStore::Options options;
  options.facts = {name, "tcp://" + name + ":7411", 2'000};
  return options;
}

inline std::unique_ptr<PostgresStore> lead(const ServerDatabase& database,
                                           PostgresStore::Options options = leads_as("one")) {
  auto store = lead_in_turn(database.url(), std::move(options));
  INFO((store ? "" : describe(store.error())));
  REQUIRE(store.has_value());
  return std::move(*store);
}

inline Error refusal(const ServerDatabase& database,
                     PostgresStore::Options options = leads_as("other")) {
  const auto store = lead_in_turn(database.url(), std::move(options));
  REQUIRE_FALSE(store.has_value());
  return store.error();
}

}  // namespace leasehold::test
