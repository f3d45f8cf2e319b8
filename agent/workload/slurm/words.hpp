// The small change of text.hpp: lines, "Key=value" words, numbers and times as Slurm prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

/// From `at` to the end of the line, which is passed.
std::string_view take_line(std::string_view text, size_t& at);
std::string_view trimmed(std::string_view text);
/// Returns the value of the first " Key=" (or at the line's start), up to the next blank; "" if
/// there is none.
std::string_view value_of(std::string_view line, std::string_view key);
/// A count: "8", or "2K" as some versions print 2048.
std::optional<int64_t> number(std::string_view text);
/// "2026-11-21T10:53:10", in UTC.
std::optional<int64_t> seconds_of(std::string_view text);
/// A length in seconds: "2-00:00:00", "5:30:00", "30:00". Words for none, as "UNLIMITED": nothing.
std::optional<int64_t> length_of(std::string_view text);
/// Whether "short,long" has this word.
bool lists_word(std::string_view list, std::string_view word);
/// The numbers that "0-2,5" names, in their order.
std::optional<std::vector<int32_t>> ids_of(std::string_view text);

/// It ends with a line's end: not cut off within a line.
Status ends_whole(const char* program, std::string_view text);
tl::unexpected<Error> misread(const char* program, std::string_view line, const char* wanted);

}  // namespace leasehold::agent
