// What every tree has, wherever its bytes lie.
#include "import/tree.h"

#include "import/limits.h"
#include "import/text.h"

#include <algorithm>
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

std::string_view Entry::name() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string_view(path) : std::string_view(path).substr(slash + 1);
}

std::string Entry::beside(std::string_view other) const {
  return std::string(path, 0, path.size() - name().size()).append(other);
}

std::string_view Entry::folder() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(path).substr(0, slash);
}

std::string_view Entry::extension() const {
  const std::string_view last = name();
  const std::size_t dot = last.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : last.substr(dot);
}

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
  return read_whole(*bytes, max_bytes);
}

}  // namespace ladder::imports
