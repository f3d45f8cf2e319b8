#include "common/jobs/swf.hpp"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "common/files/regular_file.hpp"

namespace leasehold {
namespace {

constexpr size_t kBlockBytes = 32 << 10;
constexpr size_t kLineBytesMax = 64 << 10;
/// Programs on Windows begin a UTF-8 text with this.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kFields = 18;
constexpr int kFieldsMin = 5;
constexpr int64_t kWholeMax = 1'000'000'000'000;  // seconds: 30,000 years; times 1000 fits

struct FieldKind {
  const char* name;
  bool decimals;  // for a time, a memory size or an average, which archives write with decimals
};
constexpr FieldKind kFieldKinds[kFields] = {{"job number", false},
                                            {"submit time", true},
                                            {"wait time", true},
                                            {"run time", true},
                                            {"allocated processors", false},
                                            {"average CPU time", true},
                                            {"used memory", true},
                                            {"requested processors", false},
                                            {"requested time", true},
                                            {"requested memory", true},
                                            {"status", false},
                                            {"user", false},
                                            {"group", false},
                                            {"application", false},
                                            {"queue", false},
                                            {"partition", false},
                                            {"preceding job", false},
                                            {"think time", true}};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number as it is written: its digits, `whole` of them before the point, times ten to the power
/// of `exponent`.
struct Numeral {
  bool negative = false;
  std::string_view text;  // digits, with the point
  int64_t whole = 0;
  int64_t exponent = 0;
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Removes a '-' or '+'. Returns true if it was a '-'.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

/// Returns nullopt if `word` is no number.
std::optional<Numeral> numeral_of(std::string_view word) {
  constexpr int64_t kExponentMax = 100'000;  // larger than the number of digits in any line
  Numeral numeral;
  numeral.negative = take_sign(word);
  numeral.text = word;
  numeral.whole = static_cast<int64_t>(take_digits(word).size());
  size_t decimals = 0;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    decimals = take_digits(word).size();
  }
  if (numeral.whole == 0 && decimals == 0) return std::nullopt;
  numeral.text.remove_suffix(word.size());
  if (word.empty()) return numeral;
  if (word.front() != 'e' && word.front() != 'E') return std::nullopt;
  word.remove_prefix(1);
  const bool negative = take_sign(word);
  const std::string_view power = take_digits(word);
  if (power.empty() || !word.empty()) return std::nullopt;
  for (const char digit : power) {
    numeral.exponent = std::min(numeral.exponent * 10 + (digit - '0'), kExponentMax);
  }
  if (negative) numeral.exponent = -numeral.exponent;
  return numeral;
}

/// A number in thousandths; further digits are cut off.
struct Milli {
  int64_t value = 0;
  bool whole = true;  // only zeros follow the point
};

/// Returns nullopt if it is not a number or out of range.
std::optional<Milli> parse_milli(std::string_view word) {
  constexpr int64_t kMost = kWholeMax * 1000;
  const std::optional<Numeral> numeral = numeral_of(word);
  if (!numeral) return std::nullopt;
  Milli milli;
  // the power of ten of the digit before the next
  int64_t power = numeral->whole + numeral->exponent + 3;
  for (const char digit : numeral->text) {
    if (digit == '.') continue;
    --power;
    if (digit == '0') continue;
    if (power < 3) milli.whole = false;
    if (power < 0) break;
    int64_t part = digit - '0';
    for (int64_t i = 0; i < power && part <= kMost; ++i) part *= 10;
    milli.value += part;
    if (milli.value > kMost) return std::nullopt;
  }
  if (numeral->negative) milli.value = -milli.value;
  return milli;
}

}  // namespace

struct SwfReader::File {
  std::string path;
  gzFile gz = nullptr;
  std::vector<char> block = std::vector<char>(kBlockBytes + kLineBytesMax);
  size_t begin = 0;
  size_t end = 0;
  int64_t line = 0;
  int64_t bytes_max = 0;   // limit of the unpacked bytes
  int64_t bytes_left = 0;  // of bytes_max
  bool at_end = false;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (gz != nullptr) gzclose(gz);
  }

  tl::unexpected<Error> wrong(ErrorCode code, std::string message) const {
    return tl::unexpected<Error>(Error{code, std::move(message), path, static_cast<int>(line), 0});
  }
  tl::unexpected<Error> wrong_field(int field, std::string_view text) const;
  Status fill();
  Result<bool> next_line(std::string_view& text);
  Result<int> parse_fields(std::string_view text, int64_t (&values)[kFields]) const;
};

/// Moves the unread bytes to the front and reads on.
Status SwfReader::File::fill() {
  std::memmove(block.data(), block.data() + begin, end - begin);
  end -= begin;
  begin = 0;
  const int got = gzread(gz, block.data() + end, static_cast<unsigned>(block.size() - end));
  int code = Z_OK;
  const char* why = gzerror(gz, &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    return wrong(ErrorCode::io, std::string("reading failed after this line (") + why +
                                    "); a whole text or gzip file is needed");
  }
  if (got == 0) at_end = true;
  bytes_left -= got;
  if (bytes_left < 0) {
    return wrong(ErrorCode::usage,
                 "the trace is larger than " + std::to_string(bytes_max) +
                     " bytes unpacked, which is the most that is read; cut it into parts");
  }
  end += static_cast<size_t>(got);
  return {};
}

Result<bool> SwfReader::File::next_line(std::string_view& text) {
  while (true) {
    const char* const from = block.data() + begin;
    const void* const newline = end > begin ? std::memchr(from, '\n', end - begin) : nullptr;
    if (newline != nullptr || (at_end && end > begin)) {
      const size_t size = newline == nullptr
                              ? end - begin
                              : static_cast<size_t>(static_cast<const char*>(newline) - from);
      text = {from, size};
      begin += size + (newline == nullptr ? 0 : 1);
      ++line;
      return true;
    }
    if (at_end) return false;
    if (end - begin > kLineBytesMax) {
      ++line;
      return wrong(ErrorCode::usage, "the line is longer than 64 KiB; a job is 18 numbers");
    }
    if (Status filled = fill(); !filled) return tl::unexpected(filled.error());
  }
}

tl::unexpected<Error> SwfReader::File::wrong_field(int field, std::string_view text) const {
  const FieldKind& kind = kFieldKinds[field];
  return wrong(ErrorCode::usage, "field " + std::to_string(field + 1) + " (" + kind.name + "): '" +
                                     std::string(text) + "' is not " +
                                     (kind.decimals ? "a number" : "an integer") +
                                     " in range; -1 stands for an unknown value");
}

/// Returns the number of fields in the line; 0 for an empty line or a comment.
Result<int> SwfReader::File::parse_fields(std::string_view text, int64_t (&values)[kFields]) const {
  if (line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const size_t comment = text.find(';'); comment != text.npos) text = text.substr(0, comment);
  const char* at = text.data();
  const char* const stop = at + text.size();
  int field = 0;
  while (true) {
    while (at < stop && is_space(*at)) ++at;
    if (at == stop) return field;
    if (field == kFields) {
      return wrong(ErrorCode::usage, "more than 18 fields; a job is 18 numbers in one line");
    }
    const char* const from = at;
    while (at < stop && !is_space(*at)) ++at;
    const std::string_view word(from, static_cast<size_t>(at - from));
    const std::optional<Milli> milli = parse_milli(word);
    if (!milli || (!milli->whole && !kFieldKinds[field].decimals)) return wrong_field(field, word);
    values[field++] = milli->value;
  }
}

SwfReader::SwfReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
SwfReader::SwfReader(SwfReader&&) noexcept = default;
SwfReader& SwfReader::operator=(SwfReader&&) noexcept = default;
SwfReader::~SwfReader() = default;

Result<SwfReader> SwfReader::open(const std::string& path, int64_t bytes_max) {
  auto file = std::make_unique<File>();
  file->bytes_max = file->bytes_left = bytes_max;
  file->path = path;
  Result<OpenFile> opened = open_regular_file(path, O_RDONLY);
  if (!opened) {
    return file->wrong(ErrorCode::io, "cannot open the trace, which " + opened.error().message);
  }
  file->gz = gzdopen(opened->fd(), "rb");
  if (file->gz == nullptr) return file->wrong(ErrorCode::io, "cannot open the trace: no memory");
  opened->release();  // `gz` closes it from here on
  gzbuffer(file->gz, kBlockBytes);
  return SwfReader(std::move(file));
}

Result<bool> SwfReader::next(SwfJob& job) {
  std::string_view text;
  while (true) {
    const Result<bool> more = file_->next_line(text);
    if (!more || !*more) return more;
    int64_t milli[kFields];
    for (int64_t& value : milli) value = -1000;
    const Result<int> fields = file_->parse_fields(text, milli);
    if (!fields) return tl::unexpected(fields.error());
    if (*fields == 0) continue;
    if (*fields < kFieldsMin) {
      return file_->wrong(ErrorCode::usage,
                          "only " + std::to_string(*fields) +
                              " fields; at least 5 are needed: job, submit time, wait time, run "
                              "time, allocated processors");
    }
    const auto whole = [&](int field) { return milli[field - 1] / 1000; };
    const auto time = [&](int field) { return milli[field - 1] == -1000 ? -1 : milli[field - 1]; };
    job = {file_->line, whole(1), milli[1],  time(3),   time(4),   whole(5),
           whole(8),    time(9),  whole(11), whole(12), whole(15), whole(16)};
    return true;
  }
}

}  // namespace leasehold
