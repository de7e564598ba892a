// Random access to the uncompressed content of a gzip file (with any number of members) without unpacking it to disk. The first
// pass records restart points: the start of a block and the 32 KiB before it. Their number is bounded, so their spacing grows
// in a long file.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace ladder::imports {

class GzipFile {
 public:
  explicit GzipFile(FilePieces file);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  const FilePieces& packed() const { return file_; }

  // Reads up to `capacity` bytes at this offset of the uncompressed content; returns 0 at the end. Returns kInvalidRequest if
  // the file is damaged, kResourceLimit if it exceeds kMaxRatio or kMaxTotalBytes.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity);

 private:
  struct Point {
    std::int64_t out = 0, in = 0;  // `in`: the first unread byte
    int bits = 0;                  // unused bits of the byte before `in`
    std::string window;            // the output before this point, at most 32 KiB
    bool member = false;           // a gzip header starts here
  };
  class Run;  // one forward decompression

  Status start(const Point& from);
  static std::list<GzipFile*>& unpackings();  // files with a Run, most recent first; bounded
  void remember(Point point);

  FilePieces file_;
  std::vector<Point> points_;
  std::int64_t spacing_;
  std::unique_ptr<Run> run_;
};

}  // namespace ladder::imports
