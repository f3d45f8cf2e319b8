// HttpParts is what an HttpServer is made from.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "broker/ports/http/answers/bulletin.hpp"
#include "broker/ports/http/embedded/page_files.hpp"
#include "broker/ports/operators/lookups.hpp"

namespace leasehold {

struct HttpParts {
  std::string address;  // HOST:PORT
  Lookups lookups;      // called on the server's threads
  std::shared_ptr<Bulletin> bulletin;
  std::span<const PageFile> page;
  std::span<const PageFile> guide;
};

}  // namespace leasehold
