// A tree of entries: one look at a folder, a file, a zip or a tar.gz, or at the parts of a split archive together. Formats see
// this alone and never know which it is. Entries are sorted by path, so any order of parts gives the same tree.
//
// Entries that must not be followed are refused by name and the rest goes on: paths with "..", absolute paths, links, devices,
// encrypted entries, archives inside archives, and whatever crosses a limit of limits.h. Clutter (`__MACOSX/`, `._x`,
// `.DS_Store`) is left out.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/tree/bytes.h"
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

struct Entry {
  std::string path;                 // "Takeout/Mail/Sent.mbox": relative, "/" between names, valid UTF-8 (archive_names.h)
  std::int64_t size = 0;            // uncompressed bytes, as the archive says
  std::optional<Instant> modified;  // nullopt when unknown

  std::string_view name() const;                          // the last part of the path
  std::string_view folder() const;                        // what stands before it, without the slash; "" at the top
  std::string beside(std::string_view name) const;        // the path of that name in the same folder
  std::string_view extension() const;                     // ".md" as written in lower case only when it is; see has_extension
  bool has_extension(std::string_view lower_case) const;  // has_extension(".md") is true of "A.MD"
};

inline constexpr const char* kLinkReason = "a link, which is not followed";

using EntryNo = std::size_t;  // index into entries()

struct Refusal {
  imports::wire::Place place;
  std::string reason;    // a sentence without a full stop: "the path leads outside the archive"
  bool is_link = false;  // left out as every link is, not for something wrong with it
};

class Tree {
 public:
  virtual ~Tree() = default;

  const std::string& name() const { return name_; }    // of the folder or archive, without ".zip" or part numbers: "My vault"
  const std::string& place() const { return place_; }  // the path of the archive, or of its first piece; "" of a folder
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  std::optional<EntryNo> find(std::string_view path) const;

  // The entry's bytes from this offset on. Reading entries in order is cheap everywhere; going back in a tar.gz is not.
  Result<std::unique_ptr<Bytes>> open(EntryNo entry, std::int64_t from = 0);

  // --encoding: what its text files are written in; "" to tell it from their bytes.
  std::string encoding;

  // Told how many bytes were read, each time.
  void watch(std::function<void(std::int64_t)> watcher) { watcher_ = std::move(watcher); }
  // Tells the same of bytes that an earlier run has read.
  void passed_over(std::int64_t bytes) const {
    if (watcher_ && bytes > 0) watcher_(bytes);
  }

  // The first kHeadBytes bytes, for looking at; empty when they cannot be read. Valid until the next call.
  std::string_view head(EntryNo entry);

  // The whole entry. kResourceLimit when it is larger.
  Result<std::string> read(EntryNo entry, std::size_t max_bytes);

 protected:
  virtual Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) = 0;
  // Sorts the entries by path, once all are there; says for each place which one it was before.
  std::vector<std::size_t> sort_entries();

  std::string name_, place_;
  std::vector<Entry> entries_;
  std::vector<Refusal> refusals_;

 private:
  std::string head_;
  std::function<void(std::int64_t)> watcher_;
};

// The kinds of trees, and the way from the paths of a command line to them.
struct OpenedTrees {
  std::vector<std::unique_ptr<Tree>> trees;  // sorted by name, whatever the order of the paths
  std::vector<Refusal> refusals;             // paths that are not there or cannot be opened
};

// Called at every step of long work: whoever waits for it sees that it goes on.
using SignOfLife = std::function<void()>;

enum class FoundArchives : std::uint8_t {
  kAsFolders,   // an archive in a folder is read as a folder of its name
  kSeparately,  // it becomes a tree of its own
};

// Folders are walked, with the archives in them; archives that are given by themselves become trees of their own, the parts of a
// split one together; files of one folder that are given by themselves are one tree.
OpenedTrees open_trees(
    std::span<const std::string> paths, const SignOfLife& alive = [] {}, FoundArchives found = FoundArchives::kAsFolders);

// --- the kinds, each in a file of its own ---

// A folder, without the archives in it: their paths are added to `archives`. Links in it are not followed, also those that come
// while it is read.
Result<std::unique_ptr<Tree>> open_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& archives,
                                          const SignOfLife& alive);
// Some files of one folder.
std::unique_ptr<Tree> open_files(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);
// The bytes of one file, or of several one after the other (x.zip.001, x.zip.002). `root` is the folder in which they were found,
// and beneath which no link is followed; "" when they were given by themselves.
Result<std::unique_ptr<Tree>> open_zip(std::string name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// A tar, compressed or not; a gzip that holds no tar is a tree of the one file in it.
Result<std::unique_ptr<Tree>> open_tar(const std::string& name, const std::vector<std::filesystem::path>& pieces,
                                       const std::filesystem::path& root = {});
// Several trees as one. A file that two of them hold alike is there once.
std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts);
// A folder with its archives, each as a folder of the name beside it ("2024/diary.zip").
struct ArchiveInFolder {
  std::string path;
  std::unique_ptr<Tree> tree;
};
std::unique_ptr<Tree> join_archives(std::unique_ptr<Tree> folder, std::vector<ArchiveInFolder> archives);

}  // namespace ladder::imports
