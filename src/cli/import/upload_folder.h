// The private folder where files that were dropped on the pages lie until they are imported or given up: one folder for each
// upload, readable by its owner only, which a restart of the server finds again.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "console/sources/importer.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class UploadFolder {
 public:
  explicit UploadFolder(std::filesystem::path root) : root_(std::move(root)) {}

  // The facts of an upload that survive a restart.
  struct Kept {
    std::string id, owner;
    Instant begun_at = 0, touched_at = 0;
    bool started = false;  // its owner has agreed to the plan
    std::vector<console::UploadedFile> files = {};
  };
  std::vector<Kept> kept() const;  // of folders that can be read

  Status make(std::string_view id, std::string_view owner, Instant begun_at) const;
  // A file of that name and size is coming. kInvalidRequest for a name that cannot be one, kResourceLimit when there is no room.
  Status add(std::string_view id, std::string_view name, std::int64_t size) const;
  // Behind the bytes that are there.
  Status write(std::string_view id, std::string_view name, std::int64_t at, std::string_view bytes) const;
  Status note_start(std::string_view id) const;
  void remove(std::string_view id) const;

  std::filesystem::path dropped(std::string_view id) const { return root_ / id / "dropped"; }
  std::vector<std::string> paths(std::string_view id) const;  // what to import: the files and folders as they were dropped

 private:
  Status check_room(std::int64_t bytes) const;
  Status append_fact(std::string_view id, std::string_view line) const;

  std::filesystem::path root_;
};

// A relative path of plain names: no "..", nothing that begins at the root, no control characters, UTF-8.
bool is_file_name(std::string_view name);

}  // namespace ladder::cli
