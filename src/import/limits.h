// Bounds on outside data, each with its reason. A file that crosses one is refused by name, and the rest goes on.
#pragma once

#include "base/limits.h"

#include <cstddef>
#include <cstdint>

namespace ladder::imports::limits {

using ladder::limits::kGiB;
using ladder::limits::kKiB;
using ladder::limits::kMiB;

inline constexpr std::size_t kHeadBytes = 4096;        // what detection sees of a file
inline constexpr std::size_t kMaxEntries = 1'000'000;  // of one tree: what a listing may hold in memory
inline constexpr std::size_t kMaxPathBytes = 4096;     // as file systems have it
inline constexpr std::size_t kMaxPathDepth = 64;       // folders in folders
inline constexpr std::int64_t kMaxEntryBytes = 64 * static_cast<std::int64_t>(kGiB);   // the largest mailboxes are smaller
inline constexpr std::int64_t kMaxTotalBytes = 512 * static_cast<std::int64_t>(kGiB);  // all that one tree may unpack to
// Deflate itself ends at 1:1032; real exports stay under 1:30. Small entries may do what they like.
inline constexpr std::int64_t kMaxRatio = 200;
inline constexpr std::int64_t kRatioFreeBytes = 64 * static_cast<std::int64_t>(kMiB);
inline constexpr std::size_t kMaxTextBytes = 256 * kMiB;  // a text that is taken whole: a note, a message, an element of an array
inline constexpr std::size_t kMaxBlobBytes = 1 * kGiB;    // as the store has it
inline constexpr std::size_t kMaxLineBytes = 64 * kMiB;   // a line of a text file

// PDF files: held whole, and read by a process apart. The wall is lower than the silence after which the child is ended.
inline constexpr std::size_t kMaxPdfBytes = 256 * kMiB;
inline constexpr std::size_t kMaxPdfTextBytes = 64 * kMiB;  // some 30,000 pages
inline constexpr int kPdfCpuSeconds = 60;
inline constexpr int kPdfWallSeconds = 120;

// A page of a PDF as a picture.
inline constexpr std::size_t kMaxPaintedPdfBytes = 64 * kMiB;
inline constexpr std::size_t kMaxPaintedPixels = 6'000'000;
inline constexpr std::size_t kMaxPictureBytes = 16 * kMiB;
inline constexpr int kPaintCpuSeconds = 20;
inline constexpr int kPaintWallSeconds = 30;

// The child process.
inline constexpr std::size_t kChildAddressBytes = 2 * kGiB;  // a 100 MB message is held about eight times over at worst
inline constexpr int kChildFiles = 256;
inline constexpr std::size_t kMaxOpenFiles = 64;     // of files and archives being read; folders in folders need some as well
inline constexpr std::size_t kMaxOpenArchives = 16;  // of zips, whose directories libzip holds in memory
inline constexpr std::size_t kMaxUnpackings = 16;    // of gzips, each with a window of its own
inline constexpr int kChildCpuSeconds = 120;         // between two signs of progress

}  // namespace ladder::imports::limits
