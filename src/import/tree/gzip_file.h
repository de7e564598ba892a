// A gzip (of any number of members) read at any offset of what it unpacks to, without unpacking it to disk. While it is read the
// first time, restart points are kept: where a block begins, and the 32 KiB before it. Their number is bounded; they grow apart
// in a long file.
#pragma once

#include "base/error/error.h"
#include "import/tree/bytes.h"

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

  // Up to `capacity` bytes from this offset of the unpacked text; 0 at its end. kInvalidRequest where the file is damaged,
  // kResourceLimit when it unpacks beyond kMaxRatio or kMaxTotalBytes.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity);

 private:
  struct Point {
    std::int64_t out = 0, in = 0;  // `in`: the first byte not taken yet
    int bits = 0;                  // of the byte before it, still to be taken
    std::string window;            // what came before, at most 32 KiB
    bool member = false;           // a gzip header begins here
  };
  class Run;  // one unpacking that goes forward

  Status start(const Point& from);
  static std::list<GzipFile*>& unpackings();  // those with a run, the one begun last in front: a bounded number
  void remember(Point point);

  FilePieces file_;
  std::vector<Point> points_;
  std::int64_t spacing_;
  std::unique_ptr<Run> run_;
};

}  // namespace ladder::imports
