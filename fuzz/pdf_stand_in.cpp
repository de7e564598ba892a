// In the targets that are linked with this, no process reads PDFs: the bytes of the file are taken for what that process tells.
// So our side of it gets any bytes, and poppler none.
#include "import/text/pdf.h"

namespace ladder::fuzz {

// The linker puts this in the place of imports::read_pdf (--wrap).
imports::Pdf stand_in(std::string_view bytes, std::size_t max_text_bytes) asm(
    "__wrap__ZN6ladder7imports8read_pdfESt17basic_string_viewIcSt11char_traitsIcEEm");

imports::Pdf stand_in(std::string_view bytes, std::size_t max_text_bytes) {
  return imports::pdf_from_answer(bytes, bytes.ends_with('!') ? "the reader crashed" : "", max_text_bytes);
}

}  // namespace ladder::fuzz
