// Limits on input files, with a reason for each. A file over a limit is refused by name; the other files are still
// imported.
#pragma once

#include "base/limits.h"

#include <cstddef>
#include <cstdint>

namespace ladder::imports::limits {

using ladder::limits::kGiB;
using ladder::limits::kKiB;
using ladder::limits::kMiB;

inline constexpr std::size_t kHeadBytes = 4096;        // bytes of a file that detection reads
inline constexpr std::size_t kMaxEntries = 1'000'000;  // entries of one tree: bounds the memory of the listing
inline constexpr std::size_t kMaxPathBytes = 4096;     // the limit of most file systems
inline constexpr std::size_t kMaxPathDepth = 64;       // nested folders
inline constexpr std::int64_t kMaxEntryBytes = 64 * static_cast<std::int64_t>(kGiB);   // larger than any known mailbox
inline constexpr std::int64_t kMaxTotalBytes = 512 * static_cast<std::int64_t>(kGiB);  // unpacked size of one tree
// Deflate cannot exceed 1:1032; real exports stay under 1:30. Entries up to kRatioFreeBytes are not checked.
inline constexpr std::int64_t kMaxRatio = 200;
inline constexpr std::int64_t kRatioFreeBytes = 64 * static_cast<std::int64_t>(kMiB);
inline constexpr std::size_t kMaxInnerArchiveBytes = 512 * kMiB;  // zips in a zip are held in memory
inline constexpr std::size_t kMaxTextBytes = 256 * kMiB;  // text held in memory at once: a note, a message, an array element
inline constexpr std::size_t kMaxBlobBytes = 1 * kGiB;    // the store's own limit
inline constexpr std::size_t kMaxLineBytes = 64 * kMiB;   // a line of a text file

// PDF files are held in memory and parsed in a separate process. The wall-clock limit is shorter than the silence after
// which the parent kills the child.
inline constexpr std::size_t kMaxPdfBytes = 256 * kMiB;
inline constexpr std::size_t kMaxPdfTextBytes = 64 * kMiB;  // about 30,000 pages
inline constexpr int kPdfCpuSeconds = 60;
inline constexpr int kPdfWallSeconds = 120;
// No page is recognized (OCR) after this time of the process, so that the other pages still get theirs.
inline constexpr int kOcrCpuSeconds = 40;

// Rendering one PDF page as an image.
inline constexpr std::size_t kMaxPaintedPdfBytes = 64 * kMiB;
inline constexpr std::size_t kMaxPaintedPixels = 6'000'000;
inline constexpr std::size_t kMaxPictureBytes = 16 * kMiB;
inline constexpr int kPaintCpuSeconds = 20;
inline constexpr int kPaintWallSeconds = 30;

// Resource limits of the child process.
inline constexpr std::size_t kChildAddressBytes = 2 * kGiB;  // a 100 MB message needs up to eight times its size
inline constexpr int kChildFiles = 256;
inline constexpr std::size_t kMaxOpenFiles = 64;     // files and archives being read; nested folders need descriptors as well
inline constexpr std::size_t kMaxOpenArchives = 16;  // zip files: libzip holds their directories in memory
inline constexpr std::size_t kMaxUnpackings = 16;    // gzip files, each with its own window
inline constexpr int kChildCpuSeconds = 120;         // between two progress reports

}  // namespace ladder::imports::limits
