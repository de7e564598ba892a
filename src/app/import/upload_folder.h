// The private folder for files dropped on the console until they are imported or discarded. Each upload has its own folder,
// readable by its owner only, and survives a restart of the server.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "console/importer.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::app {

class UploadFolder {
 public:
  explicit UploadFolder(std::filesystem::path root) : root_(std::move(root)) {}

  // The state of an upload that survives a restart.
  struct Kept {
    std::string id, owner;
    Instant begun_at = 0, touched_at = 0;
    bool started = false;  // its owner has approved the plan
    std::vector<console::UploadedFile> files = {};
  };
  std::vector<Kept> kept() const;  // from readable folders

  Status make(std::string_view id, std::string_view owner, Instant begun_at) const;
  // Adds a file of that name and size. Returns kInvalidRequest for an invalid name, kResourceLimit if there is no space.
  Status add(std::string_view id, std::string_view name, std::int64_t size) const;
  // Appends to the file.
  Status write(std::string_view id, std::string_view name, std::int64_t at, std::string_view bytes) const;
  Status note_start(std::string_view id) const;
  void remove(std::string_view id) const;

  std::filesystem::path dropped(std::string_view id) const { return root_ / id / "dropped"; }
  std::vector<std::string> paths(std::string_view id) const;  // the files and folders to import, as they were dropped

 private:
  Status check_room(std::int64_t bytes) const;
  Status append_fact(std::string_view id, std::string_view line) const;

  std::filesystem::path root_;
};

// Reports whether `name` is a relative path of plain names in UTF-8: no "..", no leading slash, no control characters.
bool is_file_name(std::string_view name);

}  // namespace ladder::app
