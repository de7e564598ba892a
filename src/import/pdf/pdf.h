// The text and metadata of PDF files, read with poppler in a separate process.
#pragma once

#include "import/document/document_text.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::imports {

// `max_text_bytes` limits the text: complete pages are kept, and the first one that does not fit is truncated.
DocumentText read_pdf(std::string_view bytes, std::size_t max_text_bytes);

std::string pdf_reader();  // "poppler 22.12.0": recorded with the text

}  // namespace ladder::imports
