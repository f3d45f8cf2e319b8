// Folder is a place for a benchmark's files, removed with everything in it at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "common/check.hpp"

namespace leasehold::bench {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "leasehold-XXXXXX").string();
    LEASEHOLD_CHECK(::mkdtemp(pattern.data()) != nullptr, "the temporary directory takes a folder");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace leasehold::bench
