#include "import/formats/pdf_members.h"

#include "base/format.h"

namespace ladder::imports {

void write_pdf_members(json::Writer& out, const Pdf& pdf) {
  out.member("page_count", pdf.page_count).member("scanned", pdf.is_scanned());
  if (!pdf.text.empty()) {
    out.key("pages").begin_array();
    for (std::size_t i = 0; i < pdf.pages.size(); ++i) {
      out.begin_object().member("page", i + 1).member("start_chars", pdf.pages[i].start_chars);
      out.member("end_chars", pdf.pages[i].end_chars).end_object();
    }
    out.end_array();
  }
  if (!pdf.without_text.empty()) {
    out.key("pages_without_text").begin_array();
    for (const std::int64_t page : pdf.without_text) out.number(page);
    out.end_array();
  }
  if (pdf.text_is_cut) out.member("text_is_cut", true);
  if (!pdf.problems.empty()) {
    out.key("problems").begin_array();
    for (const std::string& problem : pdf.problems) out.string(problem);
    out.end_array();
  }
  out.member("text_by", pdf_reader());
}

Status tell_pdf_losses(const Pdf& pdf, std::string_view stream, const extract::Place& place, std::string_view which, Sink& sink) {
  for (const std::string& problem : pdf.problems) {
    // A file that is kept is no loss, and its record says why there is no text.
    LADDER_CHECK(pdf.is_read ? sink.lost(place, format("{}{}", which, problem))
                             : sink.skipped(stream, format("the text of a PDF document: {} (the file is kept)", problem)));
  }
  for (std::size_t i = 0; i < pdf.without_text.size(); ++i) {
    LADDER_CHECK(sink.skipped(stream, "a page without text, scanned or empty (its document names it)"));
  }
  return {};
}

}  // namespace ladder::imports
