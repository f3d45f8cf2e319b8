#include "tests/bench/generator.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "common/check.hpp"

namespace leasehold::bench {

namespace {

/// In the child: this program again, its standard streams in our hands.
[[noreturn]] void become_agents(int in, int out, const std::string& broker,
                                const std::string& bare) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::execl("/proc/self/exe", "bench_load", "--agents", broker.c_str(), bare.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

Generator::Generator(const std::string& broker, const std::string& bare) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  const bool piped = ::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0;
  LEASEHOLD_CHECK(piped, "the machine has pipes left");
  pid_ = ::fork();
  LEASEHOLD_CHECK(pid_ >= 0, "the machine has processes left");
  if (pid_ == 0) become_agents(in[0], out[1], broker, bare);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Generator::~Generator() {
  ::close(to_);
  ::close(from_);
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

void Generator::tell(const std::string& line) {
  const std::string text = line + '\n';
  const bool written = ::write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  LEASEHOLD_CHECK(written, "the generator listens");
}

/// A whole line is there.
bool Generator::has_line() {
  pollfd one{from_, POLLIN, 0};
  if (::poll(&one, 1, 0) <= 0) return false;
  std::array<char, 256> bytes{};
  const ssize_t count = ::read(from_, bytes.data(), bytes.size());
  LEASEHOLD_CHECK(count > 0, "the generator lives");
  said_.append(bytes.data(), static_cast<size_t>(count));
  return said_.back() == '\n';
}

void Generator::await(const std::string& line, const std::function<void()>& serve) {
  while (!has_line()) serve();
  LEASEHOLD_CHECK(said_ == line + '\n', "the generator says what it has done");
  said_.clear();
}

void Generator::have(const std::string& line, const std::function<void()>& serve) {
  tell(line);
  await("done", serve);
}

}  // namespace leasehold::bench
