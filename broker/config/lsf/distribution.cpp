#include "broker/config/lsf/distribution.hpp"

#include <charconv>

namespace leasehold {

namespace {

constexpr const char* kWanted = "; write ([cluster, shares] [cluster, shares])";

class DistributionReader {
 public:
  explicit DistributionReader(const LsfEntry& entry) : entry_(entry), text_(entry.value) {}

  bool read(Shares& shares, Written& written, Findings& findings) {
    const bool in_parentheses = take('(');
    while (true) {
      skip_blanks();
      if (at_ == text_.size() || text_[at_] == ')') break;
      Share share;
      const Spot spot = entry_.at(at_);
      if (!read_share(share, findings)) return false;
      shares.push_back(std::move(share));
      written.add_element(&ExportPolicy::distribution, spot.place);
    }
    if (in_parentheses && !take(')')) return wrong("')' is missing", findings);
    skip_blanks();
    return at_ == text_.size() || wrong("nothing more is expected", findings);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view take_word() {
    skip_blanks();
    const size_t end = std::min(text_.find_first_of(" ,[]()", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  bool read_share(Share& share, Findings& findings) {
    if (!take('[')) return wrong("'[' is missing", findings);
    share.cluster = take_word();
    if (share.cluster.empty()) return wrong("the name of a cluster is missing", findings);
    if (!take(',')) return wrong("',' and the shares are missing", findings);
    skip_blanks();
    const size_t begin = at_;
    const std::string_view word = take_word();
    const auto [rest, code] = std::from_chars(word.data(), word.data() + word.size(), share.shares);
    if (word.empty() || code != std::errc() || rest != word.data() + word.size()) {
      at_ = begin;
      return wrong("shares must be a whole number", findings);
    }
    return take(']') || wrong("']' is missing", findings);
  }

  bool wrong(const char* what, Findings& findings) const {
    findings.error(entry_.at(at_), entry_.key + ": " + what + " here" + kWanted);
    return false;
  }

  const LsfEntry& entry_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

void take_lsf_distribution(const LsfEntry& entry, Shares& shares, Written& written,
                           Findings& findings) {
  written.shares_broken = !DistributionReader(entry).read(shares, written, findings);
}

}  // namespace leasehold
