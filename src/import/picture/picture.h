// Recognizes the text in picture files (PNG, JPEG, TIFF, WebP) if Tesseract is installed. Leptonica, which Tesseract needs,
// decodes the files in a separate process.
#pragma once

#include "import/document/document_text.h"

#include <cstddef>
#include <string_view>

namespace ladder::imports {

// Loads the decoder. Call it after load_ocr() and before entering the sandbox.
void load_picture_reader();

// Returns true if the file can be a picture that is read. Always false without Tesseract.
bool is_readable_picture(std::string_view file_name, std::string_view mime_type);
// Returns true if the first bytes are those of such a picture.
bool begins_as_picture(std::string_view bytes);

// A picture without text gives an empty text and no problem. The pages of a TIFF file are pages of the document.
DocumentText read_picture(std::string_view bytes, std::size_t max_text_bytes);

}  // namespace ladder::imports
