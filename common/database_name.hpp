// The name of a database: a file's path, or where it is on a server, as libpq reads its URI.
// Nothing is opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// It is on a server: "postgresql://…".
bool is_server(const std::string& database);
/// It is written in libpq's other form, "host=… user=… password=…", which is taken nowhere: as a
/// file's path it would make files of that name, and logs would show the password.
bool is_conninfo(const std::string& database);
/// What is wrong with one that is, and what would be right: "is written as …". Without the name.
std::string conninfo_fault();
/// The same name without what is secret in it, for people: no password, wherever it stands.
std::string without_password(const std::string& database);
/// What libpq says of that database, which may repeat its name or a part of it, without the same.
std::string without_password(const std::string& database, std::string said);

// Of a server's:
/// It names several, of which one is written to.
bool names_several_hosts(const std::string& database);
/// It says "?name=…" itself.
bool names_parameter(const std::string& database, std::string_view name);
/// Paths of the files that libpq opens by it: certificates, the key, the passwords.
std::vector<std::string> files_named_by(const std::string& database);
/// With further parameters, "a=1&b=2".
std::string with_parameters(const std::string& database, const std::string& more);

}  // namespace leasehold
