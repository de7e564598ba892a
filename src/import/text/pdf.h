// PDF files: their text page by page, and what they say of themselves. Poppler reads them, each in a process of its own
// (forked_task.h), so that a file that crashes or hangs it costs that file's remaining pages and nothing else.
#pragma once

#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The chars of the text that are a page's. A page without text begins where it ends.
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

// The answer of the process that reads a PDF, and its parser: no byte of it is trusted, since it comes
// from where the hostile file was. Each piece is a letter, a length (varint) and bytes.
enum class PdfPiece : char {
  kTitle = 't',
  kAuthor = 'a',
  kSubject = 's',
  kKeywords = 'k',
  kCreated = 'c',
  kModified = 'm',
  kPageCount = 'n',   // decimal
  kPage = 'p',        // the text of the next page
  kBrokenPage = 'x',  // the next page, which cannot be read
  kRefused = 'f',     // why the file cannot be read at all
  kEnd = 'e',
};

std::string pdf_piece(PdfPiece kind, std::string_view bytes);

// Pieces up to the first that is not whole. `broken_off` is why the process did not end by itself, "" when it did.
Pdf pdf_from_answer(std::string_view told, std::string_view broken_off, std::size_t max_text_bytes);

// The text of a page as people would copy it: ligatures as letters, no marks of poppler's own, at most one empty line in a row,
// no white space at both ends.
std::string page_text(std::string_view bytes);

// "D:20230102120621+01'00'", and what is written like it. None when it is not a date, or one before 1971 or after 2099.
std::optional<Instant> pdf_date(std::string_view text);

}  // namespace ladder::imports
