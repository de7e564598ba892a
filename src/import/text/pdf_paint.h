// A page of a PDF file as a picture, painted by poppler in a process of its own (forked_task.h).
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// `page` counts from 1. A PNG of at most limits::kMaxPaintedPixels. The error's message is part of a sentence: "it is encrypted".
Result<std::string> paint_pdf_page(std::string_view bytes, std::int64_t page);

// Fonts of this machine, for documents that do not bring theirs. Only what is there.
std::vector<std::filesystem::path> font_folders();

// Rows of three bytes a pixel, as a PNG. `stride` is the distance between two rows.
std::string png_of(std::string_view rgb, std::size_t width, std::size_t height, std::size_t stride);

}  // namespace ladder::imports
