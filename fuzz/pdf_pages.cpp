// The answer of the PDF process: the first line is the text limit, the rest the answer. For any answer the text is
// valid UTF-8 within the limit, the page ranges are in order and cover all text except separators, and every unread
// page has a reason.
#include "base/text/utf8.h"
#include "frame.h"
#include "import/document/document_text.h"
#include "import/text/text.h"

#include <charconv>

namespace ladder::fuzz {
namespace {

using imports::DocumentText;

void check_pages(const DocumentText& pdf) {
  FUZZ_CHECK(static_cast<std::int64_t>(pdf.pages.size()) <= pdf.page_count);
  std::int64_t chars = 0;
  std::size_t at = 0, without = 0;
  for (std::size_t i = 0; i < pdf.pages.size(); ++i) {
    const std::int64_t start = pdf.pages[i].start_chars, end = pdf.pages[i].end_chars;
    FUZZ_CHECK(start >= chars && end >= start);
    for (; chars < start; ++chars) FUZZ_CHECK(utf8::next(pdf.text, at) == '\n');
    const std::size_t begin = at;
    for (; chars < end; ++chars) utf8::next(pdf.text, at);
    const std::string_view page = std::string_view(pdf.text).substr(begin, at - begin);
    FUZZ_CHECK(page == imports::trim(page) && imports::page_text(page) == page);
    if (!page.empty() || (pdf.text_is_cut && i + 1 == pdf.pages.size())) continue;
    FUZZ_CHECK(without < pdf.without_text.size() && pdf.without_text[without] == static_cast<std::int64_t>(i) + 1);
    ++without;
  }
  FUZZ_CHECK(at == pdf.text.size() && without == pdf.without_text.size());
}

}  // namespace

void run(std::string_view input) {
  const std::string_view first = take_line(input);
  std::size_t limit = 1 << 16;
  std::from_chars(first.data(), first.data() + first.size(), limit);
  limit %= 1 << 20;
  const Exact output(input);
  for (const std::string_view abort_reason : {"", "the reader crashed"}) {
    const DocumentText pdf = imports::document_from_answer(output.view(), abort_reason, limit);
    FUZZ_CHECK(utf8::is_valid(pdf.text) && pdf.text.size() <= limit);
    for (const std::string* text : {&pdf.title, &pdf.author, &pdf.subject, &pdf.keywords, &pdf.page_kind}) {
      FUZZ_CHECK(utf8::is_valid(*text) && text->find('\n') == std::string::npos);
    }
    for (const std::string& problem : pdf.problems) FUZZ_CHECK(!problem.empty() && utf8::is_valid(problem));
    FUZZ_CHECK(pdf.is_read || (!pdf.problems.empty() && pdf.text.empty() && pdf.pages.empty()));
    FUZZ_CHECK(!pdf.text_is_cut || !pdf.problems.empty());
    check_pages(pdf);
  }
  const std::string once = imports::page_text(output.view());
  FUZZ_CHECK(utf8::is_valid(once) && imports::page_text(once) == once);
  if (const auto date = imports::pdf_date(output.view())) FUZZ_CHECK(*date > 0);
}

}  // namespace ladder::fuzz
