// PageFile is the interface through which the page and the guide reach the server, which serves
// their files and knows nothing else of them.
//
// The page is a library `leasehold_page` (in broker/page, before broker/ports) that defines
// embedded_page() in a .cpp made of the files; it includes this header and nothing else of
// broker/ports. Without that library no_page.cpp says that there is none. The same holds for the
// guide: `leasehold_guide` (in broker/guide), embedded_guide(), no_guide.cpp.
#pragma once

#include <span>
#include <string_view>

namespace leasehold {

/// One file. Its bytes live as long as the program.
struct PageFile {
  std::string_view path;   // "index.html", "assets/main.4f1c2a.js": no slash at its beginning
  std::string_view type;   // "text/html; charset=utf-8"
  std::string_view etag;   // with its quotes: "\"4f1c2a\""; another one for other bytes
  std::string_view bytes;  // as they are
  std::string_view gzip;   // the same compressed; "": not kept so
  bool immutable = false;  // its name changes with its bytes: it may be kept for good
};

/// Returns the files of the page, in any order; "index.html" is served at "/". Empty: this broker
/// was built without a page.
std::span<const PageFile> embedded_page();
/// Returns the files of the guide, likewise; "index.html" is served at "/docs/".
std::span<const PageFile> embedded_guide();

}  // namespace leasehold
