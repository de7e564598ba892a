// A tree of entries: a folder, a file, a zip, a tar.gz, or all parts of a split archive. Formats see only this interface.
// Entries are sorted by path, so the order of the parts does not matter.
//
// Unsafe entries are refused by name and the others are kept: paths with "..", absolute paths, links, devices, encrypted
// entries, archives inside archives (except for those of Notion), and entries over a limit of limits.h. Clutter (`__MACOSX/`,
// `._x`, `.DS_Store`) is left out.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/io/bytes.h"
#include "import/wire/messages.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

std::string_view last_component(std::string_view path);     // "Sent.mbox" of "Mail/Sent.mbox"
std::string_view parent_folder(std::string_view path);      // "Mail" of "Mail/Sent.mbox"; "" at the top
std::string_view without_extension(std::string_view name);  // "Sent" of "Sent.mbox"

struct Entry {
  std::string path;                 // "Takeout/Mail/Sent.mbox": relative, "/" between names, valid UTF-8 (archive_names.h)
  std::int64_t size = 0;            // uncompressed bytes, as the archive states them
  std::optional<Instant> modified;  // nullopt when unknown

  std::string_view name() const { return last_component(path); }
  std::string_view folder() const { return parent_folder(path); }
  std::string sibling(std::string_view name) const;       // the path of `name` in the same folder
  std::string_view extension() const;                     // ".md", with the case as written; see has_extension
  bool has_extension(std::string_view lower_case) const;  // has_extension(".md") is true for "A.MD"
};

inline constexpr const char* kLinkReason = "a link, which is not followed";

using EntryNo = std::size_t;  // index into entries()

struct Refusal {
  wire::FileLocation place;
  std::string reason;    // a sentence without a period: "the path leads outside the archive"
  bool is_link = false;  // left out because it is a link, not because it is damaged or unsafe
};

class Tree {
 public:
  virtual ~Tree() = default;

  const std::string& name() const { return name_; }  // the folder's or archive's name without ".zip" or part numbers: "My vault"
  const std::string& place() const { return place_; }  // the path of the archive or of its first piece; "" for a folder
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  std::optional<EntryNo> find(std::string_view path) const;

  // Opens the entry at an offset. Reading entries in order is always cheap; going back in a tar.gz is not.
  Result<std::unique_ptr<Bytes>> open(EntryNo entry, std::int64_t from = 0);

  // --encoding: the encoding of its text files; "" to detect it.
  std::string encoding;

  // Sets a callback that receives the number of bytes of every read.
  void watch(std::function<void(std::int64_t)> watcher) { watcher_ = std::move(watcher); }
  // Reports bytes that an earlier run has read.
  void add_progress(std::int64_t bytes) const {
    if (watcher_ && bytes > 0) watcher_(bytes);
  }

  // Returns the first kHeadBytes bytes, or "" if they cannot be read. Valid until the next call.
  std::string_view head(EntryNo entry);

  // Reads the whole entry. kResourceLimit if it is larger than `max_bytes`.
  Result<std::string> read(EntryNo entry, std::size_t max_bytes);

 protected:
  virtual Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) = 0;
  // Sorts the entries by path. Call it after adding all of them. Returns the previous index of each entry.
  std::vector<std::size_t> sort_entries();

  std::string name_, place_;
  std::vector<Entry> entries_;
  std::vector<Refusal> refusals_;

 private:
  std::string head_;
  std::function<void(std::int64_t)> watcher_;
};

// The kinds of trees, and how the paths of a command line are opened.
struct OpenedTrees {
  std::vector<std::unique_ptr<Tree>> trees;  // sorted by name, independent of the order of the paths
  std::vector<Refusal> refusals;             // paths that do not exist or cannot be opened
};

// Called at every step of a long operation to report progress.
using Heartbeat = std::function<void()>;

enum class FoundArchives : std::uint8_t {
  kAsFolders,   // read an archive in a folder as a folder of its name
  kSeparately,  // read it as a separate tree
};

// Opens the paths. A folder becomes one tree, with the archives in it. Archives named directly become one tree each, but the
// parts of a split one share a tree. Files of one folder that are named directly share a tree.
OpenedTrees open_trees(
    std::span<const std::string> paths, const Heartbeat& alive = [] {}, FoundArchives found = FoundArchives::kAsFolders);

// --- the kinds of trees, each in its own file ---

// A folder without the archives in it, whose paths are added to `archives`. Links in it are not followed, even if they are
// created during the walk.
Result<std::unique_ptr<Tree>> open_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& archives,
                                          const Heartbeat& alive);
// Some files of one folder.
std::unique_ptr<Tree> open_files(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);
// A zip in one file or in several pieces (x.zip.001, x.zip.002). `root` is the folder in which they were found, below which no
// link is followed; "" if they were named directly.
Result<std::unique_ptr<Tree>> open_zip(std::string name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// A zip that was in another one.
Result<std::unique_ptr<Tree>> open_inner_zip(std::string name, std::string place, std::string bytes);
// A tar, compressed or not. A gzip without a tar in it becomes a tree of one file.
Result<std::unique_ptr<Tree>> open_tar(const std::string& name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// Joins several trees. A file with the same path and content in two of them is kept once.
std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts);
// Joins a folder and its archives. Each archive becomes a folder of its name ("2024/diary.zip").
struct ArchiveInFolder {
  std::string path;
  std::unique_ptr<Tree> tree;
};
std::unique_ptr<Tree> join_archives(std::unique_ptr<Tree> folder, std::vector<ArchiveInFolder> archives);

}  // namespace ladder::imports
