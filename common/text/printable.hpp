// Makes text safe for terminals and logs. A name that comes from a peer, a file or a database may
// hold what a terminal obeys (escapes, C1 controls) or what makes it show something else than is
// there (marks that turn the direction of writing, line separators). Such characters are never
// printed as they are; this file decides which these are. Printable text stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

struct Character {
  size_t bytes = 1;
  bool printable = false;
  size_t columns = 1;  // on a terminal: 0, 1 or 2
};
/// Returns the character that begins at `at`. Not printable are control characters (C0, DEL, C1),
/// marks that turn the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069), line separators, characters that nobody sees (U+00AD, U+200B to U+200D, U+2060, U+3164,
/// U+FEFF, tags, …), and each byte that is not UTF-8.
Character character_at(std::string_view text, size_t at);

/// Writes these characters as \u001b, and bytes that are not UTF-8 as \xff. JSON that was printed
/// so keeps its meaning, because they occur in its strings alone.
std::string printable(std::string_view text);

/// Returns the columns of printable text on a terminal: characters of East Asia take two, marks
/// none.
size_t width_of(std::string_view text);
/// Cuts wider printable text to `columns`, with "…" at its end. No character and no escape is cut
/// in two.
std::string cut_to(std::string_view text, size_t columns);

/// Like printable(), for text that is already laid out: ends of lines and our own colours stay.
std::string printable_lines(std::string_view text);

/// Prints printable_lines(text) and an end of line on stderr.
void print_error(std::string_view text);

}  // namespace leasehold
