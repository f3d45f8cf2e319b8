// The options with which a database is opened: its purpose, its retention, and faults for tests
// (store.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "broker/store/base_maker.hpp"
#include "broker/store/retention.hpp"
#include "broker/store/sqlite/migrations.hpp"

namespace leasehold {

enum class OpenMode {
  broker,                 // made if missing, migrated if older, locked against other brokers
  create_for_simulation,  // the file must not exist, or must be empty; not durable while written
};

struct StoreOptions {
  Retention retention;
  /// For tests: asked before every statement that writes and before each COMMIT ("commit");
  /// an SQLite result code other than 0 makes it fail that way.
  std::function<int(std::string_view statement)> fault;
  std::span<const Migration> migrations;       // empty: those built in
  std::shared_ptr<BaseMaker> base_maker = {};  // empty: the store makes bases itself
};

}  // namespace leasehold
