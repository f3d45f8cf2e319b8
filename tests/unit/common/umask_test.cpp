#include "common/files/umask.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("a program that closes its files to others opened them wider than its umask") {
  const mode_t given = given_umask();
  keep_files_from_others();
  const mode_t kept = ::umask(given);
  CHECK((kept & given) == given);
  CHECK((kept & 0027U) == 0027U);
  CHECK(given_umask() == given);
}
