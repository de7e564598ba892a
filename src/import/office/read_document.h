// Reads the text of documents of all kinds: PDF, the files of office programs (OOXML, OpenDocument, RTF), books (EPUB), and
// the text in pictures.
#pragma once

#include "import/document/document_text.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports {

// The kind of a document by its type or by the ending of its name: "pdf", "docx", "ods"… The views of one document are one kind:
// a template of Word is "docx". "" if it is not a document that is read.
std::string_view document_kind(std::string_view file_name, std::string_view mime_type);

// Reads a document of any kind; the first bytes decide which. `max_text_bytes` limits the text: complete pages are kept, and the
// first one that does not fit is truncated.
DocumentText read_document(std::string_view bytes, std::size_t max_text_bytes);

// The work of the forked process for everything except PDF; for tests and fuzz targets.
void write_office_document(std::string_view bytes, const std::function<bool(std::string_view)>& write);

}  // namespace ladder::imports
