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
  size_t columns = 1;  // on a terminal: 0, 1 or 2
};
/// Of the character that begins at `at`. Not printable are control characters (C0, DEL, C1), marks
/// that turn the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069),
/// separators of lines, characters that nobody sees (U+00AD, U+200B to U+200D, U+2060, U+3164,
/// U+FEFF, tags, …), and each byte that is no UTF-8.
Character character_at(std::string_view text, size_t at);

/// With these written as \u001b, of bytes that are no UTF-8 as \xff. In JSON as it was printed,
/// where they stand in texts alone, that says the same.
std::string printable(std::string_view text);

/// Columns of printable text on a terminal: characters of East Asia take two, marks none.
size_t width_of(std::string_view text);
/// Printable text that is wider ends in "…" and is at most so wide; nothing is cut in two: no
/// character, no escape.
std::string cut_to(std::string_view text, size_t columns);

/// The same as printable of text that is laid out already: ends of lines stay, and our own colours.
std::string printable_lines(std::string_view text);

/// One line of it for stderr: printable_lines and an end of line.
void print_error(std::string_view text);

}  // namespace leasehold
