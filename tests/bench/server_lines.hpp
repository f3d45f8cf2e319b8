// The connections to one PostgreSQL server that a benchmark uses: loopback, and its Unix socket.
// Each has a database of its own, so that a broker may lead on both at once.
#pragma once

#include <cstdlib>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "common/check.hpp"
#include "tests/support/lead_in_turn.hpp"

namespace leasehold::bench {

struct ServerLine {
  std::string name;
  std::string server;  // a database's name follows
};

/// tests/postgres/postgres_server.py starts the server and names it.
inline std::vector<ServerLine> server_lines() {
  const char* loopback = std::getenv("LEASEHOLD_POSTGRES");
  const char* socket = std::getenv("LEASEHOLD_POSTGRES_SOCKET");
  LEASEHOLD_CHECK(loopback != nullptr, "tests/postgres/postgres_server.py starts a server");
  std::vector<ServerLine> lines{{"loopback", loopback}};
  if (socket != nullptr) lines.push_back({"socket", socket});
  return lines;
}

/// Makes a new database over that connection; gives its whole name.
inline std::string make_database(const ServerLine& line, const std::string& use) {
  const std::string name = use + "_" + line.name;
  pqxx::connection connection(line.server + "postgres");
  pqxx::nontransaction(connection).exec("CREATE DATABASE " + name);
  return line.server + name;
}

inline std::unique_ptr<PostgresStore> led(const std::string& database) {
  // By name: of a temporary one g++ 12 warns at -O3 that it may not be initialized.
  PostgresStore::Options options;
  options.facts = {"bench", "", 2'000};
  auto store = test::lead_in_turn(database, options);
  LEASEHOLD_CHECK(store.has_value(), "nobody else leads there");
  return std::move(*store);
}

}  // namespace leasehold::bench
