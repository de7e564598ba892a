// A folder on disk, walked once. Links are not followed, so nothing outside the folder is read.
#include "base/text/format.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/tree/tree.h"

#include <sys/stat.h>

#include <algorithm>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

class FileBytes final : public Bytes {
 public:
  FileBytes(FilePieces file, std::int64_t from) : file_(std::move(file)), at_(from) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    LADDER_TRY(const std::size_t count, file_.read_at(at_, buffer, capacity));
    at_ += static_cast<std::int64_t>(count);
    return count;
  }

 private:
  FilePieces file_;
  std::int64_t at_;
};

class FolderTree final : public Tree {
 public:
  // Files that the owner named directly may be links.
  FolderTree(const fs::path& folder, bool given) : folder_(folder), given_(given) {
    name_ = replace_invalid(folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string());
  }

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    LADDER_TRY(FilePieces file, FilePieces::open({folder_ / files_[entry]}, given_ ? fs::path() : folder_));
    return std::make_unique<FileBytes>(std::move(file), from);
  }

  void refuse(const std::string& path, std::string reason) {
    refusals_.push_back({{replace_invalid(path), -1}, std::move(reason)});
  }

  void pass_over_link(const std::string& path) { refusals_.push_back({{replace_invalid(path), -1}, kLinkReason, true}); }

  // `relative` is the path under the folder, as stored on disk.
  void add(const std::string& relative) {
    if (is_clutter(relative)) return;
    struct stat file_stat{};
    const std::string path_on_disk = folder_ / relative;
    const int failed = given_ ? stat(path_on_disk.c_str(), &file_stat) : lstat(path_on_disk.c_str(), &file_stat);
    if (failed != 0) return refuse(relative, "its attributes cannot be read");
    if (S_ISLNK(file_stat.st_mode)) return pass_over_link(relative);
    if (!S_ISREG(file_stat.st_mode)) return refuse(relative, "not a regular file or folder");
    const auto path = entry_path(relative);
    if (!path) return refuse(relative, path.error());
    if (entries_.size() >= limits::kMaxEntries) return refuse(relative, format("more than {} files", limits::kMaxEntries));
    entries_.push_back({*path, file_stat.st_size, file_stat.st_mtim.tv_sec * kSecond + file_stat.st_mtim.tv_nsec / 1000});
    files_.push_back(relative);
  }

  void finish() {
    std::vector<std::string> files;
    for (const std::size_t i : sort_entries()) files.push_back(std::move(files_[i]));
    files_ = std::move(files);
    std::ranges::sort(refusals_, {}, [](const Refusal& refusal) { return refusal.place.file; });
  }

 private:
  fs::path folder_;
  const bool given_;
  std::vector<std::string> files_;  // parallel to entries_: the path as stored on disk
};

// Returns why a folder cannot be listed; "" if it can.
std::string listing_error(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator tried(folder, error);
  return error ? format("the folder cannot be read: {}", error.message()) : "";
}

}  // namespace

Result<std::unique_ptr<Tree>> open_folder(const fs::path& folder, std::vector<fs::path>& archives, const Heartbeat& alive) {
  std::error_code error;
  const auto unreadable = [&] { return fail(Code::kNotFound, format("the folder cannot be read: {}", error.message())); };
  const fs::path whole = fs::canonical(folder, error);
  if (error) return unreadable();
  if (std::string why = listing_error(folder); !why.empty()) return fail(Code::kNotFound, std::move(why));
  auto tree = std::make_unique<FolderTree>(whole, false);
  fs::recursive_directory_iterator walk(folder, error);
  for (const fs::recursive_directory_iterator end; walk != end; walk.increment(error)) {
    alive();
    std::string_view relative_path = walk->path().native();  // it begins with that of the folder
    relative_path.remove_prefix(std::min(relative_path.size(), folder.native().size()));
    relative_path.remove_prefix(std::min(relative_path.size(), relative_path.find_first_not_of('/')));
    const std::string relative(relative_path);
    std::error_code unknown;  // add() refuses an entry of unknown type
    const bool is_link = walk->is_symlink(unknown);
    if (!is_link && walk->is_directory(unknown)) {
      std::string why = static_cast<std::size_t>(walk.depth()) + 1 < limits::kMaxPathDepth
                            ? listing_error(walk->path())
                            : format("deeper than {} folders", limits::kMaxPathDepth);
      if (why.empty()) continue;
      walk.disable_recursion_pending();
      tree->refuse(relative, std::move(why));
    } else if (!is_link && is_archive_name(walk->path().filename().string()) && !is_clutter(relative)) {
      archives.push_back(walk->path());
    } else {
      tree->add(relative);
    }
  }
  if (error) return unreadable();  // the walk also ends at an error, before the last entry
  tree->finish();
  return tree;
}

std::unique_ptr<Tree> open_files(const fs::path& folder, const std::vector<fs::path>& files) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  auto tree = std::make_unique<FolderTree>(error ? folder : whole, true);
  for (const fs::path& file : files) tree->add(file.filename().string());
  tree->finish();
  return tree;
}

}  // namespace ladder::imports
