// Text for terminals and logs. A name that comes from a peer, a file or a database may hold what a
// terminal obeys (escapes, C1 controls) or what makes it show something else than is there (marks
// that turn the direction of writing, separators of lines): such characters are never printed as
// they are. This is where it is decided which these are. Printable text stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

struct Character {
  size_t bytes = 1;
  bool printable = false;
};
/// Of the character that begins at `at`. Not printable are control characters (C0, DEL, C1),
/// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF, and each byte that is no
/// UTF-8.
Character character_at(std::string_view text, size_t at);

/// With these written as \u001b, of bytes that are no UTF-8 as \xff. In JSON as it was printed,
/// where they stand in texts alone, that says the same.
std::string printable(std::string_view text);

/// Columns of printable text on a terminal, where each character takes one.
size_t width_of(std::string_view text);

/// The same as printable of text that is laid out already: ends of lines stay, and our own colours.
std::string printable_lines(std::string_view text);

/// One line of it for stderr: printable_lines and an end of line.
void print_error(std::string_view text);

}  // namespace leasehold
