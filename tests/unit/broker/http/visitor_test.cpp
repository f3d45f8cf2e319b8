// Visitor: the names, tokens and addresses of those who ask by HTTP.
#include "broker/ports/http/request/visitor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace leasehold;

namespace {

/// A folder with token files, for one test.
class Folder {
 public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  OperatorConfig with(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    OperatorConfig each;
    each.name = name;
    each.token_file = path_ + "/" + name + ".token";
    each.source = {"broker.toml", 7};
    std::ofstream(each.token_file) << text;
    REQUIRE(::chmod(each.token_file.c_str(), mode) == 0);
    return each;
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path().string() + "/leasehold-tokens-" +
                      std::to_string(::getpid());
};

RequestHead asking(const std::string& fields) {
  return *read_head("GET / HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n");
}

const std::string kAna = "ana-has-a-long-token";
const std::string kBob = "bob-has-a-long-token";

}  // namespace

TEST_CASE("a name of elsewhere that points here is none of the broker's own") {
  const std::vector<std::string> names{"Leases.Example.org"};
  for (const char* own : {"localhost", "LOCALHOST:7442", "127.0.0.1:7442", "127.8.8.8",
                          "[::1]:7442", "[::1]", "leases.example.org", "leases.example.org:443"}) {
    INFO(own);
    CHECK(is_own_name(own, names));
  }
  for (const char* other :
       {"evil.example.org", "127.0.0.1.evil.org", "localhost.evil.org", "[::2]", "10.0.0.1",
        "leases.example.org.evil.org", "127.evil.org:7442", ":80"}) {
    INFO(other);
    CHECK_FALSE(is_own_name(other, names));
  }
}

TEST_CASE("a token is its operator's, with the role, and nobody else's") {
  const Folder folder;
  Access access;
  access.operators = {folder.with("ana", "# for HTTP\n" + kAna + "\n"), OperatorConfig{},
                      folder.with("bob", kBob + "\n")};
  access.operators[2].role = Role::branch_admin;
  access.operators[2].branch = "/research";
  access.tokens = *Tokens::read(access.operators);
  CHECK(visitor_of(asking("Authorization: Bearer " + kAna + "\r\n"), "127.0.0.1", access)
            ->asker->name == "ana");
  const OrRefusal<Visitor> bob =
      visitor_of(asking("Authorization: Bearer " + kBob + "\r\n"), "127.0.0.1", access);
  REQUIRE(bob);
  CHECK(role_text(*bob->asker) == "admin:/research");
  for (const std::string& wrong :
       {std::string(), std::string("Authorization: Bearer " + kAna + "x\r\n"),
        std::string("Authorization: Basic " + kAna + "\r\n"),
        std::string("Authorization: Bearer\r\n")}) {
    const OrRefusal<Visitor> nobody = visitor_of(asking(wrong), "127.0.0.1", access);
    REQUIRE_FALSE(nobody);
    CHECK(nobody.error().status == 401);
    CHECK_THAT(nobody.error().error.message, !Catch::Contains(kAna));
  }
  SECTION("after a reload another role, or none, is known of a stream that stands") {
    CHECK(still_welcome(*bob, access));
    access.operators[2].branch = "/finance";
    CHECK_FALSE(still_welcome(*bob, access));
    access.tokens = Tokens();
    access.http.base_path = "/leasehold";
    CHECK_FALSE(still_welcome(*bob, access));
  }
}

TEST_CASE("without tokens loopback asks freely, but not behind a proxy nor with [security]") {
  Access access;
  CHECK_FALSE(needs_token(access));
  access.own = KeyPair{};
  CHECK(needs_token(access));
  CHECK(visitor_of(asking(""), "127.0.0.1", access).error().status == 401);
  access.own.reset();
  CHECK(visitor_of(asking(""), "127.0.0.1", access));
  access.http.base_path = "/leasehold";
  CHECK(needs_token(access));
  CHECK(visitor_of(asking(""), "127.0.0.1", access).error().status == 401);
}

TEST_CASE("token files that are not safe, or hold no token of their own, are refused") {
  const Folder folder;
  const auto refused = [](const std::vector<OperatorConfig>& operators) {
    const Result<Tokens> tokens = Tokens::read(operators);
    REQUIRE_FALSE(tokens);
    CHECK(tokens.error().code == ErrorCode::usage);
    CHECK(tokens.error().line == 7);
    return tokens.error().message;
  };
  CHECK_THAT(refused({folder.with("ana", kAna, 0640)}), Catch::Contains("chmod 600"));
  CHECK_THAT(refused({folder.with("ana", "fifteen-letters\n")}), Catch::Contains("16 to 512"));
  CHECK_THAT(refused({folder.with("ana", kAna + "\n" + kBob + "\n")}), Catch::Contains("one line"));
  CHECK_THAT(refused({folder.with("ana", kAna), folder.with("bob", kAna)}),
             Catch::Contains("of operator 'ana' too"));
  OperatorConfig missing = folder.with("ana", kAna);
  missing.token_file += "x";
  CHECK_THAT(refused({missing}), Catch::Contains("is not there; make one"));
}

TEST_CASE("limits count for the visitor that a proxy names, not for what the visitor claims") {
  Access access;
  const RequestHead head = asking("X-Forwarded-For: 10.9.9.9, 192.0.2.7\r\n");
  CHECK(address_of(head, "127.0.0.1", access) == "127.0.0.1");
  access.http.base_path = "/leasehold";
  CHECK(address_of(head, "127.0.0.1", access) == "192.0.2.7");
  CHECK(address_of(asking(""), "127.0.0.1", access) == "127.0.0.1");
}
