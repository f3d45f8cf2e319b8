// These helpers of text.hpp read lines, "Key=value" words, numbers and times as Slurm prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the text from `at` to the end of the line, and moves `at` behind it.
std::string_view take_line(std::string_view text, size_t& at);
/// Returns the value of the first " Key=" (or at the line's start), up to the next blank; "" if
/// there is none.
std::string_view value_of(std::string_view line, std::string_view key);
/// Reads a count: "8", or "2K" as some versions print 2048.
std::optional<int64_t> number(std::string_view text);
/// Returns the seconds since 1970 of "2026-11-21T10:53:10", in UTC.
std::optional<int64_t> seconds_of(std::string_view text);
/// Returns the seconds of a length: "2-00:00:00", "5:30:00", "30:00"; nullopt for words as
/// "UNLIMITED".
std::optional<int64_t> length_of(std::string_view text);
/// True if "short,long" has this word.
bool lists_word(std::string_view list, std::string_view word);
/// Returns the numbers that "0-2,5" names, in their order.
std::optional<std::vector<int32_t>> ids_of(std::string_view text);

/// Fails if the text is empty or does not end with a line's end: then it is cut off.
Status ends_whole(const char* program, std::string_view text);
tl::unexpected<Error> misread(const char* program, std::string_view line, const char* wanted);

}  // namespace leasehold::agent
