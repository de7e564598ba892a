// Pages of documents as pictures. The program implements it with the sandboxed process that reads files for imports, so that no
// byte of a document is parsed in the server.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ladder::console {

class PagePainter {
 public:
  virtual ~PagePainter() = default;

  static constexpr std::int64_t kMaxDocumentBytes = 64 << 20;  // held whole while a page of it is painted

  using Document = std::function<Result<std::string>()>;

  // A page of a PDF, counted from 1, as a PNG. `read` is called when its turn has come, so that those who wait hold no document.
  // Its errors, kInvalidRequest when the page cannot be painted, kResourceLimit while others are painted for too long; the
  // message is a sentence for the owner. Takes a moment. Safe from any thread.
  virtual Result<std::string> paint(const Document& read, std::int64_t page) = 0;
};

}  // namespace ladder::console
