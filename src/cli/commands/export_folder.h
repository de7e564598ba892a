// The folder an export is written to: under another name until it is whole, so that one that was killed on the way can't be
// taken for it. Readable by its owner only.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"
#include "server/owner/export_layout.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::cli {

using server::FileFacts;

// A file being written; its bytes are counted and digested on the way.
class ExportFile {
 public:
  static Result<std::unique_ptr<ExportFile>> create(const std::filesystem::path& path);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  Status write(std::string_view bytes);
  std::int64_t bytes() const { return bytes_; }
  void mark() { marked_bytes_ = bytes_; }  // this place
  Status return_to_mark();                 // as if nothing had been written since
  Result<FileFacts> finish();

 private:
  ExportFile(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  Status flush();

  std::filesystem::path path_;
  int file_;
  std::string buffer_;
  std::int64_t bytes_ = 0, marked_bytes_ = 0;
  crypto::Sha256 hash_;
};

class ExportFolder {
 public:
  // kConflict when `folder` is there and not empty, or another export is writing to it. What a killed one left is removed.
  static Result<std::unique_ptr<ExportFolder>> make(const std::string& folder);
  ~ExportFolder();  // removes everything, unless it was finished
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::filesystem::path at(std::string_view relative) const { return partial_ / relative; }
  Status add_folder(std::string_view relative) const;
  Status finish();  // everything is on disk, and then it has its name

 private:
  ExportFolder(std::filesystem::path target, std::filesystem::path partial, int lock)
      : target_(std::move(target)), partial_(std::move(partial)), lock_(lock) {}

  std::filesystem::path target_, partial_;
  int lock_;  // the partial folder, held open and locked
  bool finished_ = false;
};

}  // namespace ladder::cli
