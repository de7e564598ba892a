// A tree of entries: one look at a folder, a file, a zip or a tar.gz, or at the parts of a split archive together. Formats see
// this alone and never know which it is. Entries are sorted by path, so any order of parts gives the same tree.
//
// What must not be followed is refused by name and the rest goes on: paths with "..", absolute paths, links, devices, encrypted
// entries, archives inside archives, and whatever crosses a limit of limits.h. Clutter (`__MACOSX/`, `._x`, `.DS_Store`) is left
// out.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "extract/place.h"
#include "import/bytes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

struct Entry {
  std::string path;                 // "Takeout/Mail/Sent.mbox": relative, "/" between names, valid UTF-8 (entry_path.h)
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
  extract::Place place;
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

}  // namespace ladder::imports
