// The name of a database: a file's path, or where it is on a server. Nothing is opened.
#pragma once

#include <string>

namespace leasehold {

/// It is on a server: "postgresql://…".
bool is_server(const std::string& database);
/// The same name without the password in it, for people.
std::string without_password(const std::string& database);

}  // namespace leasehold
