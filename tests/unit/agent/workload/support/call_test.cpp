// Programs that a call starts: what they print, how they end, what they may not do.
#include "agent/workload/support/call.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

CallRequest shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {}, "", 600'000, 1 << 20};
}

TEST_CASE("a call gives what the program prints on both ways, and its exit status") {
  const auto answer = call(shell("echo out; echo err >&2; exit 3"));
  REQUIRE(answer);
  CHECK(answer->output == "out\n");
  CHECK(answer->errors == "err\n");
  CHECK(answer->exit_status == 3);
  const Error error = call_error(shell("x"), *answer);
  CHECK(error.message == "`/bin/sh -c x` ended with exit status 3: err");
}

TEST_CASE("a call's program reads its input to the end, also one that is longer than a pipe") {
  CallRequest request = shell("wc -c");
  request.input = std::string(3'000'000, 'x');
  const auto answer = call(request);
  REQUIRE(answer);
  CHECK(std::stol(answer->output) == 3'000'000);
}

TEST_CASE("a program that does not read its input does no harm") {
  CallRequest request = shell("exit 0");
  request.input = std::string(3'000'000, 'x');
  const auto answer = call(request);
  REQUIRE(answer);
  CHECK(answer->exit_status == 0);
}

TEST_CASE("arguments are no shell's: what would be special is only text") {
  const auto answer = call({{"printf", "%s|", "$HOME", "a b", "; exit 9", "*"}, {}, "", 5'000});
  REQUIRE(answer);
  CHECK(answer->output == "$HOME|a b|; exit 9|*|");
}

TEST_CASE("variables of the workload manager that the agent was started with are not passed on") {
  ::setenv("SQUEUE_PARTITION", "other", 1);
  ::setenv("SLURM_CLUSTERS", "far", 1);
  CallRequest request = shell("echo [$SQUEUE_PARTITION] [$SLURM_CLUSTERS] $SLURM_CONF");
  request.environment = {{"SLURM_CONF", "/x"}};
  CHECK(call(request)->output == "[other] [far] /x\n");
  request.cleared = {"SQUEUE_", "SLURM_"};
  const auto answer = call(request);
  ::unsetenv("SQUEUE_PARTITION");
  ::unsetenv("SLURM_CLUSTERS");
  REQUIRE(answer);
  CHECK(answer->output == "[] [] /x\n");
}

TEST_CASE("programs run in the C locale and UTC, whatever the agent's environment says") {
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  CallRequest request = shell("echo $LC_ALL $TZ $SLURM_CONF");
  request.environment = {{"SLURM_CONF", "/x"}};
  const auto answer = call(request);
  ::unsetenv("LC_ALL");
  REQUIRE(answer);
  CHECK(answer->output == "C UTC /x\n");
}

TEST_CASE("a program that does not end in time is killed with what it started, and named") {
  const Scratch scratch;
  CallRequest request = shell("sleep 3600 & echo $! > " + scratch.file("pid") + "; wait");
  pid_t child = 0;
  // A program that starts slowly has written nothing by then, and gets longer.
  for (request.timeout_ms = 300; child == 0; request.timeout_ms *= 2) {
    const auto answer = call(request);
    REQUIRE_FALSE(answer);
    const std::string what = "did not end within " + std::to_string(request.timeout_ms) + " ms";
    CHECK(answer.error().message.find(what) != std::string::npos);
    CHECK(answer.error().message.find("/bin/sh -c") != std::string::npos);
    std::ifstream(scratch.file("pid")) >> child;
  }
  for (bool gone = false; !gone; ::usleep(10'000)) {  // until init has taken it
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string all;
    std::getline(stat, all);
    gone = all.empty() || all.find(") Z") != std::string::npos;
  }
}

TEST_CASE("a program that leaves another one behind with its output open does not hold the agent") {
  CallRequest request = shell("sleep 60 & echo done");
  request.timeout_ms = 300;
  const auto answer = call(request);
  REQUIRE_FALSE(answer);
}

TEST_CASE("what cannot be started is a failure by name", "[spawn]") {
  const auto missing = call({{"/no/such/program"}, {}, "", 1'000});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message ==
        "`/no/such/program` cannot be started: No such file or directory");
}

TEST_CASE("what dies of a signal or prints too much is a failure by name") {
  const auto killed = call(shell("kill -9 $$"));
  REQUIRE_FALSE(killed);
  CHECK(killed.error().message.find("was ended by signal 9") != std::string::npos);
  CallRequest chatter = shell("yes");
  chatter.output_most = 100'000;
  const auto much = call(chatter);
  REQUIRE_FALSE(much);
  CHECK(much.error().message.find("prints more than 100000 bytes") != std::string::npos);
}

TEST_CASE("a program starts with signals unblocked, though the agent blocks some") {
  sigset_t block;
  sigset_t before;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &block, &before);
  const auto answer = call(shell("exec grep SigBlk /proc/self/status"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(answer);
  CHECK(answer->output.find("0000000000000000") != std::string::npos);
}

/// Each of the first two waits for what the other one writes.
TEST_CASE("programs that are called together run side by side, and answer in their order") {
  const Scratch scratch;
  const auto meets = [&scratch](const std::string& own, const std::string& other) {
    return shell("touch " + scratch.file(own) + "; until [ -e " + scratch.file(other) +
                 " ]; do sleep 0.01; done; echo " + own);
  };
  std::vector<CallRequest> requests{meets("a", "b"), meets("b", "a"), shell("exit 3")};
  for (CallRequest& request : requests) request.timeout_ms = 60'000;
  requests.push_back({{"/no/such/program"}, {}, "", 1'000});
  const auto answers = call_all(requests);
  REQUIRE(answers.size() == 4);
  REQUIRE((answers[0] && answers[1] && answers[2]));
  CHECK(answers[0]->output == "a\n");
  CHECK(answers[1]->output == "b\n");
  CHECK(answers[2]->exit_status == 3);
  REQUIRE_FALSE(answers[3]);
  CHECK(answers[3].error().message.find("cannot be started") != std::string::npos);
  CHECK(call_all({}).empty());
}

TEST_CASE("where nobody is there programs that take long are killed, and told why") {
  std::vector<CallRequest> requests{shell("echo early"), shell("sleep 600")};
  for (CallRequest& request : requests) request.timeout_ms = 600'000;
  requests[0].health_check = {
      {"/bin/sh", "-c", "echo DOWN; exit 1"}, 1, 60'000, [](const CallAnswer& a) {
        return a.exit_status == 0;
      }};
  const auto answers = call_all(requests);
  REQUIRE_FALSE(answers[1]);
  CHECK(answers[1].error().message.find("`/bin/sh -c 'sleep 600'` was killed, because") == 0);
  CHECK(answers[1].error().message.ends_with("ended with exit status 1: DOWN"));
}

TEST_CASE("programs that take long are waited for while somebody is there") {
  const Scratch scratch;
  CallRequest request = shell("until [ -e " + scratch.file("asked") +
                              " ]; do sleep 0.01; done; sleep 0.05; echo late");
  request.timeout_ms = 60'000;
  request.health_check = {
      {"/bin/sh", "-c", "touch " + scratch.file("asked")}, 1, 60'000, [](const CallAnswer& a) {
        return a.exit_status == 0;
      }};
  const auto answer = call(request);
  REQUIRE(answer);
  CHECK(answer->output == "late\n");
}

/// Symptom: a program that failed passed for one that had printed nothing, which frees slots.
TEST_CASE("a program whose end is not told fails") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto answer = call(shell("exit 3"));
  std::signal(SIGCHLD, before);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("SIGCHLD") != std::string::npos);
}

TEST_CASE("only an exit status of 0 is output") {
  CHECK(call_output(call, shell("echo 7")).value() == "7\n");
  const auto refused = call_output(call, shell("printf 'slurm_load: no\\tanswer\\n' >&2; exit 1"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("exit status 1: slurm_load: no answer") != std::string::npos);
}

}  // namespace
}  // namespace leasehold::agent
