// A folder that is held by its descriptor: whoever may write to the folder above it can rename it or put a link in its place, and
// still every file is read, written and removed in the one that was opened. Files in it are never reached through a link.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

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

// Safe to share between threads. Errors are kStoreUnavailable unless another code is named, and tell the path.
class HeldFolder {
 public:
  // One that is there: kNotFound; kConflict when the last part of the path is a link or a file. The same of one in it.
  static Result<HeldFolder> hold(const std::filesystem::path& path);
  Result<HeldFolder> below(const std::string& name) const;
  Result<HeldFolder> make_below(const std::string& name) const;  // where it is not there yet

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path path(std::string_view name) const { return path_ / name; }
  Result<FileDescriptor> create(const std::string& name) const;  // a new file, for its owner alone; kConflict when it is there
  // To read, without waiting for whoever writes to a pipe. kNotFound; kDamagedData unless it is a regular file.
  Result<FileDescriptor> open(const std::string& name) const;
  Result<std::string> read_whole(const std::string& name, std::int64_t max_bytes) const;  // kDamagedData when it is larger
  // The file has these bytes, on disk, or is as it was: they are written to NAME.partial, which then gets the name.
  Status write_whole(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;
  void remove_empty_folder(const std::string& name) const;  // nothing happens to one that is not empty
  std::vector<std::string> names() const;                   // of all that is in it
  Status sync() const;                                      // names that were given and taken are on disk

 private:
  HeldFolder(std::filesystem::path path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  static Result<HeldFolder> hold_at(int parent, const std::string& name, std::filesystem::path path);

  std::filesystem::path path_;
  FileDescriptor folder_;
};

inline constexpr std::string_view kDraftSuffix = ".partial";

// Of the file at `path`, which messages name.
Status write_all(const FileDescriptor& file, const std::filesystem::path& path, std::string_view bytes);
Status sync_file(const FileDescriptor& file, const std::filesystem::path& path);
Result<std::int64_t> size_of(const FileDescriptor& file, const std::filesystem::path& path);
// So many bytes from there on; kDamagedData when the file ends before. They take the place of what `into` holds.
Status read_range_into(const FileDescriptor& file, const std::filesystem::path& path, std::int64_t offset, std::int64_t bytes,
                       std::string& into);
Result<std::string> read_range(const FileDescriptor& file, const std::filesystem::path& path, std::int64_t offset,
                               std::int64_t bytes);

// kStoreUnavailable with what errno says: "cannot write /mnt/disk/x: No space left on device".
std::unexpected<Error> file_fault(const std::filesystem::path& path, std::string_view doing);

}  // namespace ladder::cli
