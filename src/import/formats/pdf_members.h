// What every record made from a PDF has: its pages, the ones without text, what went wrong; and the same for the account.
#pragma once

#include "import/pdf.h"
#include "import/sink.h"
#include "json/writer.h"

#include <string_view>

namespace ladder::imports {

// page_count, scanned, pages, pages_without_text, text_is_cut, problems, text_by; not the text itself.
void write_pdf_members(json::Writer& out, const Pdf& pdf);

// Each problem is a loss; pages without text are counted as skipped. `which` stands before each reason when it is not "": what of
// the place is meant.
Status tell_pdf_losses(const Pdf& pdf, std::string_view stream, const extract::Place& place, std::string_view which, Sink& sink);

}  // namespace ladder::imports
