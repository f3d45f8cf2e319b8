// OwnFolder is a folder of a test's own, removed with all that is in it.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace leasehold::test {

class OwnFolder {
 public:
  OwnFolder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/tmp/leasehold-own-XXXXXX";
};

}  // namespace leasehold::test
