// Renders a page of a PDF as an image, with poppler in a separate process (forked_task.h).
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// Returns a PNG of at most limits::kMaxPaintedPixels. `page` counts from 1. The error message is part of a sentence: "it is
// encrypted".
Result<std::string> paint_pdf_page(std::string_view bytes, std::int64_t page);

// Returns existing font folders, for documents without embedded fonts.
std::vector<std::filesystem::path> font_folders();

// Encodes rows of three bytes per pixel as a PNG. `stride` is the distance between two rows in bytes.
std::string png_of(std::string_view rgb, std::size_t width, std::size_t height, std::size_t stride);

}  // namespace ladder::imports
