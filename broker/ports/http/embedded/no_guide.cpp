// Built without the guide.
#include "broker/ports/http/embedded/page_files.hpp"

namespace leasehold {

std::span<const PageFile> embedded_guide() {
  return {};
}

}  // namespace leasehold
