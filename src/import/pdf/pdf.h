// The text and metadata of PDF files. Poppler parses each file in a separate process (forked_task.h), so that a crash or hang
// costs only the remaining pages of that file.
#pragma once

#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The character range of a page in the text. A page without text is an empty range.
struct PageRange {
  std::int64_t start_chars = 0, end_chars = 0;
};

struct Pdf {
  std::string title, author, subject, keywords;  // from the file's metadata; "" if missing
  std::optional<Instant> created, modified;
  std::int64_t page_count = 0;  // all pages of the file, read or not
  std::string text;             // all pages in order, separated by an empty line
  std::vector<PageRange> pages;
  std::vector<std::int64_t> without_text;  // page numbers, from 1, without text: scanned or empty
  std::vector<std::string> problems;       // what could not be read and why: sentences without a period
  bool is_read = false;                    // false if nothing could be read; see `problems`
  bool text_is_cut = false;                // truncated at the given limit

  bool is_scanned() const { return is_read && page_count > 0 && text.empty(); }
};

// `max_text_bytes` limits the text: complete pages are kept, and the first one that does not fit is truncated.
Pdf read_pdf(std::string_view bytes, std::size_t max_text_bytes);

std::string pdf_reader();  // "poppler 22.12.0": recorded with the text

// The answer of the forked process and its parser. The answer is untrusted, since the process read a hostile file. Each piece
// is a letter, a length (varint) and bytes.
enum class PdfPiece : char {
  kTitle = 't',
  kAuthor = 'a',
  kSubject = 's',
  kKeywords = 'k',
  kCreated = 'c',
  kModified = 'm',
  kPageCount = 'n',   // decimal
  kPage = 'p',        // the text of the next page
  kBrokenPage = 'x',  // the next page is unreadable
  kRefused = 'f',     // why the file is unreadable
  kEnd = 'e',
};

std::string pdf_piece(PdfPiece kind, std::string_view bytes);

// Parses pieces up to the first incomplete one. `abort_reason` says why the process was aborted, "" if it was not.
Pdf pdf_from_answer(std::string_view output, std::string_view abort_reason, std::size_t max_text_bytes);

// Cleans up a page's text: expands ligatures, removes poppler's control characters, reduces empty lines to one in a row, trims
// both ends.
std::string page_text(std::string_view bytes);

// Parses "D:20230102120621+01'00'" and similar forms. nullopt if it is not a date between 1971 and 2099.
std::optional<Instant> pdf_date(std::string_view text);

}  // namespace ladder::imports
