// Built without the page.
#include "broker/ports/http/embedded/page_files.hpp"

namespace leasehold {

std::span<const PageFile> embedded_page() {
  return {};
}

}  // namespace leasehold
