// What the process that reads a PDF tells the one that asked, and what is made of it: no byte of it is trusted, since it comes
// from where the hostile file was. Each piece is a letter, a length (varint) and bytes.
#pragma once

#include "import/pdf.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

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
