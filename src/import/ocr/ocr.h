// Recognizes the text in pictures with Tesseract, if it is installed. The library is loaded when the process starts, before the
// sandbox, so that Ladder does not depend on it. Recognition runs in the forked process that reads a document.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace ladder::imports {

// Loads Tesseract with the installed languages. Does nothing if it is not installed. Call it before entering the sandbox.
void load_ocr();
bool has_ocr();
std::string ocr_reader();                 // "tesseract 5.3.0": recorded with the text; "" without it
std::filesystem::path ocr_data_folder();  // must be readable in the sandbox; "" without it

// Returns the text of a picture with eight bits per channel; "" if there is none, or if Tesseract is not loaded. `dots` is its
// resolution per inch.
std::string recognized_text(const unsigned char* pixels, int width, int height, int bytes_per_pixel, int bytes_per_line,
                            int dots);

}  // namespace ladder::imports
