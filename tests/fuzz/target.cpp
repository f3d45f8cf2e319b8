#include "tests/fuzz/target.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace leasehold::fuzz {

ScratchFolder::ScratchFolder() {
  const bool in_memory = std::filesystem::is_directory("/dev/shm");
  path_ = std::string(in_memory ? "/dev/shm" : "/tmp") + "/leasehold-fuzz-XXXXXX";
  LEASEHOLD_CHECK(mkdtemp(path_.data()) != nullptr, "a folder can be made");
}

ScratchFolder::~ScratchFolder() {
  std::error_code code;  // what is left of it does no harm
  std::filesystem::remove_all(path_, code);
}

std::string ScratchFolder::write(const std::string& name, std::string_view contents) const {
  std::string path = path_ + "/" + name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  LEASEHOLD_CHECK(file.good(), "a file can be written");
  return path;
}

void check_error(const Error& error, size_t bytes) {
  LEASEHOLD_CHECK(!error.message.empty(), "an error says what is wrong");
  LEASEHOLD_CHECK(error.line >= 0 && error.column >= 0, "places count from 1; 0 is unknown");
  // One more each for what is missing at the end.
  LEASEHOLD_CHECK(static_cast<size_t>(error.line) <= bytes + 1, "the line is in the text");
  LEASEHOLD_CHECK(static_cast<size_t>(error.column) <= bytes + 1, "the column is in the text");
}

}  // namespace leasehold::fuzz
