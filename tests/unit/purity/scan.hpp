// Scan: what in a source file would make a pure folder impure. It reads words, not C++: it holds
// the includes to a list and refuses words that stand for the world outside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// `text` without comments and without what stands between quotes; lines are kept.
std::string without_comments_and_texts(std::string_view text);

/// "line 3: #include <thread>: …" for each fault of the file `text` in the pure folder `folder`.
std::vector<std::string> impurities(std::string_view folder, std::string_view text);

}  // namespace leasehold
