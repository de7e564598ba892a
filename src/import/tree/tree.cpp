// Implements what all kinds of trees share.
#include "import/tree/tree.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ladder::imports {
namespace {

class WatchedBytes final : public Bytes {
 public:
  WatchedBytes(std::unique_ptr<Bytes> bytes, const std::function<void(std::int64_t)>& watcher)
      : bytes_(std::move(bytes)), watcher_(watcher) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    auto count = bytes_->read(buffer, capacity);
    if (count) watcher_(static_cast<std::int64_t>(*count));
    return count;
  }

 private:
  std::unique_ptr<Bytes> bytes_;
  const std::function<void(std::int64_t)>& watcher_;
};

}  // namespace

// Called many times for every file. memrchr reads many bytes at once.
std::string_view last_component(std::string_view path) {
  if (path.empty()) return path;
  const void* const slash = ::memrchr(path.data(), '/', path.size());
  return slash == nullptr ? path : path.substr(static_cast<std::size_t>(static_cast<const char*>(slash) - path.data()) + 1);
}

std::string Entry::sibling(std::string_view other) const {
  return std::string(path, 0, path.size() - name().size()).append(other);
}

std::string_view parent_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view without_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string_view Entry::extension() const { return name().substr(without_extension(name()).size()); }

bool Entry::has_extension(std::string_view lower_case) const { return lower_ascii(extension()) == lower_case; }

std::optional<EntryNo> Tree::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(entries_, path, std::less<>{}, &Entry::path);
  if (found == entries_.end() || found->path != path) return std::nullopt;
  return static_cast<EntryNo>(found - entries_.begin());
}

std::vector<std::size_t> Tree::sort_entries() {
  std::vector<std::size_t> before(entries_.size());
  std::iota(before.begin(), before.end(), std::size_t{0});
  std::ranges::stable_sort(before, {}, [&](std::size_t i) { return std::string_view(entries_[i].path); });
  std::vector<Entry> sorted;
  sorted.reserve(entries_.size());
  for (const std::size_t i : before) sorted.push_back(std::move(entries_[i]));
  entries_ = std::move(sorted);
  return before;
}

Result<std::unique_ptr<Bytes>> Tree::open(EntryNo entry, std::int64_t from) {
  LADDER_TRY(auto bytes, open_entry(entry, from));
  if (!watcher_) return bytes;
  return std::make_unique<WatchedBytes>(std::move(bytes), watcher_);
}

std::string_view Tree::head(EntryNo entry) {
  head_.clear();
  const auto bytes = open(entry, 0);
  if (!bytes) return {};
  head_.resize(limits::kHeadBytes);
  std::size_t filled = 0;
  while (filled < head_.size()) {
    const auto count = (*bytes)->read(head_.data() + filled, head_.size() - filled);
    if (!count || *count == 0) break;
    filled += *count;
  }
  head_.resize(filled);
  return head_;
}

Result<std::string> Tree::read(EntryNo entry, std::size_t max_bytes) {
  LADDER_TRY(const auto bytes, open(entry, 0));
  return read_to_end(*bytes, max_bytes);
}

// The parts of a split export as one tree.

namespace {

constexpr std::size_t kPieceBytes = 64 * limits::kKiB;
constexpr std::size_t kComparedBytes = 64 * limits::kMiB;  // compared bytes of two files that may be the same

class JoinedTree final : public Tree {
 public:
  JoinedTree(std::string name, std::string place) {
    name_ = std::move(name);
    place_ = std::move(place);
  }

  // Adds a part. Its paths get the prefix.
  void add(std::unique_ptr<Tree> part, const std::string& prefix) {
    for (EntryNo i = 0; i < part->entries().size(); ++i) {
      Entry entry = part->entries()[i];
      entry.path.insert(0, prefix);
      if (entries_.size() >= limits::kMaxEntries || entry.path.size() > limits::kMaxPathBytes) {
        const bool is_long = entry.path.size() > limits::kMaxPathBytes;
        refusals_.push_back({{entry.path.substr(0, limits::kMaxPathBytes), -1},
                             is_long ? format("the path is longer than {} bytes", limits::kMaxPathBytes)
                                     : format("more than {} files", limits::kMaxEntries)});
        continue;
      }
      entries_.push_back(std::move(entry));
      sources_.push_back({parts_.size(), i});
    }
    for (Refusal refusal : part->refusals()) {
      refusal.place.file.insert(0, prefix);
      refusals_.push_back(std::move(refusal));
    }
    parts_.push_back(std::move(part));
  }

  void finish() {
    std::vector<EntrySource> sources;
    for (const std::size_t i : sort_entries()) sources.push_back(sources_[i]);
    sources_ = std::move(sources);
    drop_duplicates();
  }

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    return parts_[sources_[entry].part]->open(sources_[entry].entry, from);
  }

 private:
  struct EntrySource {
    std::size_t part = 0;
    EntryNo entry = 0;
  };

  // Keeps the first of several files with the same path and bytes. Files with the same path and different bytes all stay.
  void drop_duplicates() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].path == entries_[i].path && are_alike(kept - 1, i)) continue;
      if (kept != i) {
        entries_[kept] = std::move(entries_[i]);
        sources_[kept] = sources_[i];
      }
      ++kept;
    }
    entries_.resize(kept);
    sources_.resize(kept);
  }

  // Compares the sizes and the first kComparedBytes bytes.
  bool are_alike(std::size_t a, std::size_t b) {
    if (entries_[a].size != entries_[b].size) return false;
    const auto one = open_entry(a, 0), other = open_entry(b, 0);
    if (!one || !other) return false;
    std::string left(kPieceBytes, '\0'), right(kPieceBytes, '\0');
    for (std::size_t compared = 0; compared < kComparedBytes;) {
      const std::size_t count = filled(**one, left);
      if (filled(**other, right) != count || std::string_view(left).substr(0, count) != std::string_view(right).substr(0, count))
        return false;
      if (count < kPieceBytes) return true;
      compared += count;
    }
    return true;
  }

  // Fills the buffer. Returns fewer bytes only at the end or after an error.
  static std::size_t filled(Bytes& bytes, std::string& buffer) {
    std::size_t count = 0;
    while (count < buffer.size()) {
      const auto done = bytes.read(buffer.data() + count, buffer.size() - count);
      if (!done || *done == 0) break;
      count += *done;
    }
    return count;
  }

  std::vector<std::unique_ptr<Tree>> parts_;
  std::vector<EntrySource> sources_;  // parallel to entries_
};

}  // namespace

std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts) {
  auto joined = std::make_unique<JoinedTree>(std::move(name), parts.front()->place());
  for (auto& part : parts) joined->add(std::move(part), "");
  joined->finish();
  return joined;
}

std::unique_ptr<Tree> join_archives(std::unique_ptr<Tree> folder, std::vector<ArchiveInFolder> archives) {
  auto joined = std::make_unique<JoinedTree>(folder->name(), "");
  joined->add(std::move(folder), "");
  for (ArchiveInFolder& archive : archives) joined->add(std::move(archive.tree), archive.path + "/");
  joined->finish();
  return joined;
}

}  // namespace ladder::imports
