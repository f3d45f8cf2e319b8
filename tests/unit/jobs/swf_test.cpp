#include "common/jobs/swf.hpp"

#include <unistd.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <vector>

#include "common/jobs/trace.hpp"
#include "tests/support/pipes.hpp"

using namespace leasehold;

namespace {

/// A file with the text, removed at the end of the test.
struct TextFile {
  std::string path;
  explicit TextFile(const std::string& text, bool gz = false) {
    char name[] = "/tmp/swf-XXXXXX";
    ::close(::mkstemp(name));
    path = name;
    if (gz) {
      gzFile file = gzopen(path.c_str(), "wb");
      gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
      gzclose(file);
    } else {
      std::ofstream(path) << text;
    }
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { ::unlink(path.c_str()); }
};

Result<std::vector<SwfJob>> read_all(const std::string& path) {
  Result<SwfReader> reader = SwfReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  std::vector<SwfJob> jobs;
  SwfJob job;
  while (true) {
    const Result<bool> more = reader->next(job);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return jobs;
    jobs.push_back(job);
  }
}

Result<std::vector<SwfJob>> read_text(const std::string& text) {
  const TextFile file(text);
  return read_all(file.path);
}

Trace trace_of(const std::string& text, TraceOptions options) {
  const TextFile file(text);
  options.path = file.path;
  Result<Trace> trace = read_trace(options);
  REQUIRE(trace);
  return *trace;
}

const std::string kLine = "7 100 5 60 4 -1 -1 8 120 -1 1 3 4 5 6 2 -1 -1\n";

}  // namespace

TEST_CASE("a small archive that unpacks without end is read to a bound") {
  std::string comments;
  for (int i = 0; i < 1'000; ++i) comments += ";" + std::string(9'998, '.') + "\n";
  const TextFile file(comments, true);
  CHECK(std::filesystem::file_size(file.path) < 100'000);
  SwfJob job;
  Result<SwfReader> bounded = SwfReader::open(file.path, 5'000'000);
  REQUIRE(bounded);
  const Result<bool> more = bounded->next(job);
  REQUIRE_FALSE(more);
  CHECK_THAT(more.error().message, Catch::Contains("larger than 5000000 bytes unpacked"));
  Result<SwfReader> whole = SwfReader::open(file.path, 10'000'000);
  REQUIRE(whole);
  CHECK(whole->next(job) == false);
}

TEST_CASE("a line of 18 fields is read, comments and empty lines are not jobs") {
  const auto jobs = read_text("; Version: 2.2\n\n  " + kLine + "   \t\r\n");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 1);
  const SwfJob& job = jobs->front();
  CHECK(job.line == 3);
  CHECK(job.number == 7);
  CHECK(job.submit_ms == 100'000);
  CHECK(job.wait_ms == 5'000);
  CHECK(job.run_ms == 60'000);
  CHECK(job.processors_allocated == 4);
  CHECK(job.processors_requested == 8);
  CHECK(job.time_requested_ms == 120'000);
  CHECK(job.status == 1);
  CHECK(job.user == 3);
  CHECK(job.queue == 6);
  CHECK(job.partition == 2);
}

TEST_CASE("missing trailing fields, other white space and a missing last newline are no errors") {
  const auto jobs = read_text("1\t0 -1 \t 30 2\r\n2 5 -1 30 -1 -1 -1 6 ; a comment");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK((*jobs)[0].width() == 2);
  CHECK((*jobs)[0].processors_requested == -1);
  CHECK((*jobs)[0].partition == -1);
  CHECK((*jobs)[1].width() == 6);
}

TEST_CASE("decimal times are exact milliseconds, finer digits cut off") {
  const auto jobs = read_text("1 10.5 -1 0.0019 1\n2 11.007 -1.0 .25 1 12.75 3.5\n");
  REQUIRE(jobs);
  CHECK((*jobs)[0].submit_ms == 10'500);
  CHECK((*jobs)[0].run_ms == 1);
  CHECK((*jobs)[1].submit_ms == 11'007);
  CHECK((*jobs)[1].wait_ms == -1);
  CHECK((*jobs)[1].run_ms == 250);
}

TEST_CASE("a trace with 2.0 processors, 1e3 seconds or a byte order mark was refused") {
  const auto jobs =
      read_text("\xEF\xBB\xBF; a comment\n1.0 1.5e3 -1 2E+2 4.0\n2 0e999 -1.0e0 12.3456e-1 4e0\n");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK((*jobs)[0].number == 1);
  CHECK((*jobs)[0].submit_ms == 1'500'000);
  CHECK((*jobs)[0].run_ms == 200'000);
  CHECK((*jobs)[0].width() == 4);
  CHECK((*jobs)[1].submit_ms == 0);
  CHECK((*jobs)[1].wait_ms == -1);
  CHECK((*jobs)[1].run_ms == 1'234);
  CHECK((*jobs)[1].width() == 4);
  const auto bare = read_text("\xEF\xBB\xBF" + kLine);
  REQUIRE(bare);
  CHECK(bare->size() == 1);
  CHECK_FALSE(read_text(kLine + "\xEF\xBB\xBF" + kLine));
}

TEST_CASE("a line that is not a job is an error with its place and what would be right") {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"1 0 -1 abc 4", "field 4 (run time): 'abc' is not a number"},
      {"1 0 -1 10 4.5", "field 5 (allocated processors): '4.5' is not an integer"},
      {"1 0 -1 1e 4", "field 4 (run time): '1e' is not a number"},
      {"1 0 -1 1e5x 4", "field 4 (run time): '1e5x' is not a number"},
      {"1 0 -1 1e400 4", "field 4 (run time): '1e400' is not a number in range"},
      {"1 0 -1 e3 4", "field 4 (run time): 'e3' is not a number"},
      {"1 0 -1 10 25e-1", "field 5 (allocated processors): '25e-1' is not an integer"},
      {"1 0 -1 10 4.0000001", "field 5 (allocated processors): '4.0000001' is not an integer"},
      {"1 0 -1 10 4x", "'4x' is not an integer"},
      {"1 - -1 10 4", "field 2 (submit time): '-' is not a number"},
      {"1 0 -1 99999999999999999999 4", "is not a number in range"},
      {"1 0 -1 10", "only 4 fields; at least 5 are needed"},
      {"1 0 -1 10 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "more than 18 fields"},
      {"<html>", "field 1 (job number): '<html>' is not an integer"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto jobs = read_text("; comment\n" + kLine + row.text + "\n" + kLine);
    REQUIRE_FALSE(jobs);
    CHECK(jobs.error().line == 3);
    CHECK(jobs.error().code == ErrorCode::usage);
    CHECK_THAT(jobs.error().message, Catch::Contains(row.message));
  }
}

TEST_CASE("an endless line is refused") {
  const auto jobs = read_text(kLine + std::string(1 << 20, '1'));
  REQUIRE_FALSE(jobs);
  CHECK(jobs.error().line == 2);
  CHECK_THAT(jobs.error().message, Catch::Contains("longer than 64 KiB"));
}

TEST_CASE("a gzip trace reads as the plain one, also across blocks") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += std::to_string(i) + " " + std::to_string(i * 3) + " -1 " + std::to_string(i % 77) +
            " 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n";
  }
  const TextFile plain(text);
  const TextFile gz(text, true);
  const auto a = read_all(plain.path);
  const auto b = read_all(gz.path);
  REQUIRE(a);
  REQUIRE(b);
  REQUIRE(a->size() == 20'000);
  REQUIRE(b->size() == 20'000);
  for (size_t i = 0; i < a->size(); ++i) {
    REQUIRE((*a)[i].submit_ms == static_cast<int64_t>(i) * 3000);
    REQUIRE((*b)[i].submit_ms == (*a)[i].submit_ms);
    REQUIRE((*b)[i].run_ms == (*a)[i].run_ms);
    REQUIRE((*b)[i].line == static_cast<int64_t>(i) + 1);
  }
}

TEST_CASE("a gzip trace that was cut off is an error, not a shorter trace") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += kLine;
  const TextFile whole(text, true);
  std::ifstream in(whole.path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const TextFile cut(bytes.substr(0, bytes.size() / 2));
  const auto jobs = read_all(cut.path);
  REQUIRE_FALSE(jobs);
  CHECK(jobs.error().code == ErrorCode::io);
}

TEST_CASE("a trace that is not there names the file") {
  const auto jobs = read_all("/nonexistent/x.swf");
  REQUIRE_FALSE(jobs);
  CHECK(jobs.error().file == "/nonexistent/x.swf");
  CHECK_THAT(jobs.error().message, Catch::Contains("No such file"));
}

TEST_CASE("a trace that is a pipe or a folder is refused at once") {
  const TextFile file("");
  ::unlink(file.path.c_str());
  const auto pipe = read_all(test::make_pipe(file.path));
  REQUIRE_FALSE(pipe);
  CHECK(pipe.error().file == file.path);
  CHECK_THAT(pipe.error().message, Catch::Contains("is a pipe: a regular file is wanted"));
  const auto folder = read_all("/tmp");
  REQUIRE_FALSE(folder);
  CHECK_THAT(folder.error().message, Catch::Contains("is a folder"));
}

TEST_CASE("a trace keeps jobs with width and run time that fit; the first kept one is time 0") {
  const std::string text =
      "1 50 -1 0 4\n"             // no run time: skipped
      "2 100 -1 10 2\n"           // kept: time 0
      "3 103 -1 10 -1 -1 -1 3\n"  // requested processors
      "4 104 -1 10 9\n"           // wider than 8: skipped
      "5 110 -1 10 8\n"
      "6 111 -1 10 -1\n";  // after the last kept one: not counted
  const Trace trace = trace_of(text, {.path = {}, .load = 3.0, .widest = 8, .cluster = 1});
  REQUIRE(trace.jobs.size() == 3);
  CHECK(trace.jobs[0] == Job{0, {0}, 10'000, 2, 1});
  CHECK(trace.jobs[1] == Job{1, {1000}, 10'000, 3, 1});
  CHECK(trace.jobs[2] == Job{2, {3333}, 10'000, 8, 1});  // floor(10000 / 3)
  CHECK(trace.skipped == 2);
}

TEST_CASE("jobs_max counts the kept ones, and skipped ends with the last of them") {
  const std::string text = "1 0 -1 10 1\n2 1 -1 0 1\n3 2 -1 10 1\n4 3 -1 0 1\n5 4 -1 10 1\n";
  const Trace trace = trace_of(text, {.path = {}, .jobs_max = 2, .widest = 8});
  CHECK(trace.jobs.size() == 2);
  CHECK(trace.skipped == 1);
}

TEST_CASE("lines out of order are put in order; what came before the first kept job is before 0") {
  const Trace trace = trace_of("1 10 -1 10 1\n2 30 -1 10 1\n3 20 -1 10 2\n4 7 -1 10 3\n",
                               {.path = {}, .load = 2.0});
  REQUIRE(trace.jobs.size() == 4);
  CHECK(trace.jobs[0] == Job{0, {-1500}, 10'000, 3, 0});
  CHECK(trace.jobs[1] == Job{1, {0}, 10'000, 1, 0});
  CHECK(trace.jobs[2] == Job{2, {5'000}, 10'000, 2, 0});
  CHECK(trace.jobs[3] == Job{3, {10'000}, 10'000, 1, 0});
}
