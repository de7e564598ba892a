// The folder that an export writes to. It has a temporary name until the export is complete, so that an interrupted export
// cannot be mistaken for a complete one. Only its owner can read it.
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

using server::FileInfo;

// An output file; counts and digests its bytes as they are written.
class ExportFile {
 public:
  static Result<std::unique_ptr<ExportFile>> create(const std::filesystem::path& path);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  Status write(std::string_view bytes);
  std::int64_t bytes() const { return bytes_; }
  void mark() { marked_bytes_ = bytes_; }  // marks the current position
  Status return_to_mark();                 // discards everything written since the mark
  Result<FileInfo> finish();

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
  // Returns kConflict if `folder` exists and is not empty, or another export is writing to it. Removes the remains of an
  // interrupted export.
  static Result<std::unique_ptr<ExportFolder>> make(const std::string& folder);
  ~ExportFolder();  // removes everything unless finish() succeeded
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::filesystem::path at(std::string_view relative) const { return partial_ / relative; }
  Status add_folder(std::string_view relative) const;
  Status finish();  // syncs everything to disk, then renames the folder

 private:
  ExportFolder(std::filesystem::path target, std::filesystem::path partial, int lock)
      : target_(std::move(target)), partial_(std::move(partial)), lock_(lock) {}

  std::filesystem::path target_, partial_;
  int lock_;  // the open and locked partial folder
  bool finished_ = false;
};

}  // namespace ladder::cli
