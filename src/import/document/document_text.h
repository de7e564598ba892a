// The text of a document (PDF, office files, books) with its pages, sheets, slides or chapters. A separate process reads each
// file (forked_task.h), so that a crash or hang costs only the rest of that file; its answer is parsed here.
#pragma once

#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The character range of a page in the text. A page without text is an empty range.
struct PageRange {
  std::int64_t start_chars = 0, end_chars = 0;
  std::string name = {};  // of a sheet, a slide or a chapter; "" if it has none
};

struct DocumentText {
  std::string title, author, subject, keywords;  // from the file's metadata; "" if missing
  std::optional<Instant> created, modified;
  std::string page_kind = "page";  // what a page is: "page", "sheet", "slide" or "chapter"; "" if the file has no pages
  std::int64_t page_count = 0;     // all pages of the file, read or not
  std::string text;                // all pages in order, separated by an empty line
  std::vector<PageRange> pages;
  std::vector<std::int64_t> recognized;    // page numbers, from 1, whose text was recognized in a picture (OCR)
  std::vector<std::int64_t> without_text;  // page numbers, from 1, without text: scanned or empty
  std::vector<std::string> problems;       // what could not be read and why: sentences without a period
  bool is_read = false;                    // false if nothing could be read; see `problems`
  bool text_is_cut = false;                // truncated at the given limit
  std::string text_by;                     // the program that read it: "poppler 22.12.0"

  bool is_scanned() const { return is_read && page_kind == "page" && page_count > 0 && text.empty(); }
};

// The answer of the forked process and its parser. The answer is untrusted, since the process read a hostile file. Each piece
// is a letter, a length (varint) and bytes.
enum class DocumentPiece : char {
  kTitle = 't',
  kAuthor = 'a',
  kSubject = 's',
  kKeywords = 'k',
  kCreated = 'c',
  kModified = 'm',
  kPageKind = 'u',
  kPageCount = 'n',       // decimal
  kPageName = 'h',        // the name of the next page
  kPage = 'p',            // the text of the next page
  kRecognizedPage = 'o',  // the same, recognized in a picture (OCR)
  kBrokenPage = 'x',      // the next page is unreadable
  kProblem = 'w',         // a part that could not be read
  kRefused = 'f',         // why the file is unreadable
  kEnd = 'e',
};

std::string document_piece(DocumentPiece kind, std::string_view bytes);

// Parses pieces up to the first incomplete one. `abort_reason` says why the process was aborted, "" if it was not.
DocumentText document_from_answer(std::string_view output, std::string_view abort_reason, std::size_t max_text_bytes);

// Cleans up a page's text: expands ligatures, removes poppler's control characters, reduces empty lines to one in a row, trims
// both ends.
std::string page_text(std::string_view bytes);

// Parses "D:20230102120621+01'00'" and similar forms. nullopt if it is not a date between 1971 and 2099.
std::optional<Instant> pdf_date(std::string_view text);

}  // namespace ladder::imports
