// Collects the text and the properties that a reader of office files finds. All of it runs in the forked process
// (document/document_text.h).
#pragma once

#include "import/io/limits.h"
#include "import/office/package.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::office {

struct OfficeDocument {
  struct Page {
    std::string name, text;
  };
  std::string title, author, subject, keywords, created, modified;  // as written
  std::string page_kind;                                            // "" if the file has no pages: then `pages` has one
  std::vector<Page> pages;
  std::vector<std::string> problems;
  std::string refused;  // why nothing can be read

  // Text that does not fit is dropped; the parser of the answer notices that the text is cut.
  void append(std::string& to, std::string_view text);

 private:
  std::size_t bytes_ = 0;
};

// Text documents contain marks where pages end: the layout program's own (form feed), and breaks that the author set (vertical
// tab), which the program's own include. Makes pages of them.
inline constexpr char kLaidOutBreak = '\f', kSetBreak = '\v';
void split_pages(OfficeDocument& document, std::string text);

void read_word(Package& package, const std::string& main_part, OfficeDocument& document);
void read_sheets(Package& package, const std::string& main_part, OfficeDocument& document);
void read_slides(Package& package, const std::string& main_part, OfficeDocument& document);
void read_open_document(Package& package, OfficeDocument& document);
void read_book(Package& package, OfficeDocument& document);
void read_rtf(std::string_view bytes, OfficeDocument& document);

// Reads title, author and dates from a part with Dublin Core elements.
void read_properties(Package& package, std::string_view part, OfficeDocument& document);

}  // namespace ladder::imports::office
