// A folder held open by its descriptor. A user who can write to the parent folder may rename it or replace it with a link, but
// files are still read, written and removed in the folder that was opened. Files are never accessed through a link.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::app {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

// Thread-safe. Errors are kStoreUnavailable unless another code is given, and name the path.
class HeldFolder {
 public:
  // Opens an existing folder: kNotFound; kConflict if the last path component is a link or a file. The second form opens a
  // subfolder.
  static Result<HeldFolder> hold(const std::filesystem::path& path);
  Result<HeldFolder> below(const std::string& name) const;
  Result<HeldFolder> make_below(const std::string& name) const;  // creates it if needed

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path path(std::string_view name) const { return path_ / name; }
  Result<FileDescriptor> create(const std::string& name) const;  // a new file, for its owner only; kConflict if it exists
  // Opens for reading without blocking on a pipe. Returns kNotFound, or kDamagedData if it is not a regular file.
  Result<FileDescriptor> open(const std::string& name) const;
  Result<std::string> read_whole(const std::string& name, std::int64_t max_bytes) const;  // kDamagedData if it is larger
  // Replaces the file atomically and durably: the bytes are written to NAME.partial, which is then renamed.
  Status write_whole(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;
  void remove_empty_folder(const std::string& name) const;  // does nothing if it is not empty
  std::vector<std::string> names() const;                   // of all entries
  Status sync() const;                                      // syncs created and removed names to disk

 private:
  HeldFolder(std::filesystem::path path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  static Result<HeldFolder> hold_at(int parent, const std::string& name, std::filesystem::path path);

  std::filesystem::path path_;
  FileDescriptor folder_;
};

inline constexpr std::string_view kDraftSuffix = ".partial";

// Writes to the file at `path`, which messages name.
Status write_all(const FileDescriptor& file, const std::filesystem::path& path, std::string_view bytes);
Status sync_file(const FileDescriptor& file, const std::filesystem::path& path);
Result<std::int64_t> size_of(const FileDescriptor& file, const std::filesystem::path& path);
// Reads `bytes` bytes at `offset`, replacing the content of `into`; kDamagedData if the file is too short.
Status read_range_into(const FileDescriptor& file, const std::filesystem::path& path, std::int64_t offset, std::int64_t bytes,
                       std::string& into);
Result<std::string> read_range(const FileDescriptor& file, const std::filesystem::path& path, std::int64_t offset,
                               std::int64_t bytes);

// Returns kStoreUnavailable with the text of errno: "cannot write /mnt/disk/x: No space left on device".
std::unexpected<Error> file_fault(const std::filesystem::path& path, std::string_view doing);

}  // namespace ladder::app
