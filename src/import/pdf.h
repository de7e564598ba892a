// PDF files: their text page by page, and what they say of themselves. Poppler reads them, each in a process of its own
// (apart.h), so that a file that crashes or hangs it costs that file's remaining pages and nothing else.
#pragma once

#include "base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// Which chars of the text are a page's. A page without text begins where it ends.
struct PageRange {
  std::int64_t start_chars = 0, end_chars = 0;
};

struct Pdf {
  std::string title, author, subject, keywords;  // as the file says; "" when it does not
  std::optional<Instant> created, modified;
  std::int64_t page_count = 0;  // of the file, read or not
  std::string text;             // of all pages in order, an empty line between two
  std::vector<PageRange> pages;
  std::vector<std::int64_t> without_text;  // numbers of pages, from 1, that hold no text: scanned, or empty
  std::vector<std::string> problems;       // sentences without a full stop: what could not be read, and why
  bool is_read = false;                    // false when nothing could be read at all; `problems` says why
  bool text_is_cut = false;                // at the limit given

  bool is_scanned() const { return is_read && page_count > 0 && text.empty(); }
};

// `max_text_bytes` bounds the text; whole pages are kept, and the first one that does not fit is cut.
Pdf read_pdf(std::string_view bytes, std::size_t max_text_bytes);

std::string pdf_reader();  // "poppler 22.12.0": whose text it is

}  // namespace ladder::imports
