// Targets that link this file start no process that reads documents: the bytes of the file are used as the answer of that
// process. The parent's parser gets arbitrary bytes and poppler and expat get none.
#include "import/office/read_document.h"

namespace ladder::fuzz {

// The linker replaces imports::read_document with this function (--wrap).
imports::DocumentText stand_in(std::string_view bytes, std::size_t max_text_bytes) asm(
    "__wrap__ZN6ladder7imports13read_documentESt17basic_string_viewIcSt11char_traitsIcEEm");

imports::DocumentText stand_in(std::string_view bytes, std::size_t max_text_bytes) {
  return imports::document_from_answer(bytes, bytes.ends_with('!') ? "the reader crashed" : "", max_text_bytes);
}

}  // namespace ladder::fuzz
