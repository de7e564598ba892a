// Targets that link this file start no PDF process: the bytes of the file are used as the answer of that process. The
// parent's parser gets arbitrary bytes and poppler gets none.
#include "import/pdf/pdf.h"

namespace ladder::fuzz {

// The linker replaces imports::read_pdf with this function (--wrap).
imports::Pdf stand_in(std::string_view bytes, std::size_t max_text_bytes) asm(
    "__wrap__ZN6ladder7imports8read_pdfESt17basic_string_viewIcSt11char_traitsIcEEm");

imports::Pdf stand_in(std::string_view bytes, std::size_t max_text_bytes) {
  return imports::pdf_from_answer(bytes, bytes.ends_with('!') ? "the reader crashed" : "", max_text_bytes);
}

}  // namespace ladder::fuzz
