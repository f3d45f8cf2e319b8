// The name of a database: a file's path, or a server's address as libpq reads its URI. Nothing is
// opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// True if the database is on a server: "postgresql://…".
bool is_server(const std::string& database);
/// True if the name is in libpq's other form, "host=… user=… password=…". It is refused everywhere:
/// as a file's path it would make files of that name, and logs would show the password.
bool is_conninfo(const std::string& database);
/// Says what is wrong with such a name and what would be right: "is written as …". The name is left
/// out.
std::string conninfo_fault();
/// Returns the name for people, without passwords wherever they are.
std::string without_password(const std::string& database);
/// Returns libpq's message about that database without passwords: it may repeat the name or a part
/// of it.
std::string without_password(const std::string& database, std::string said);

// The functions below are for databases on a server.
//
// True if the name lists several hosts, of which the writable one is used.
bool names_several_hosts(const std::string& database);
/// True if the name sets the parameter: "?name=…".
bool names_parameter(const std::string& database, std::string_view name);
/// Returns the paths of the files that libpq opens for it: certificates, the key, the passwords.
std::vector<std::string> files_named_by(const std::string& database);
/// Returns the name with further parameters, "a=1&b=2".
std::string with_parameters(const std::string& database, const std::string& more);

}  // namespace leasehold
