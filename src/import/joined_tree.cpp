// The parts of a split export as one tree.
#include "import/limits.h"
#include "import/trees.h"

namespace ladder::imports {
namespace {

constexpr std::size_t kPieceBytes = 64 * limits::kKiB;
constexpr std::size_t kComparedBytes = 64 * limits::kMiB;  // of two files that may be one

class JoinedTree final : public Tree {
 public:
  JoinedTree(std::string name, std::vector<std::unique_ptr<Tree>> parts) : parts_(std::move(parts)) {
    name_ = std::move(name);
    place_ = parts_.front()->place();
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const Tree& tree = *parts_[part];
      for (EntryNo i = 0; i < tree.entries().size(); ++i) {
        entries_.push_back(tree.entries()[i]);
        homes_.push_back({part, i});
      }
      refusals_.insert(refusals_.end(), tree.refusals().begin(), tree.refusals().end());
    }
    std::vector<Home> homes;
    for (const std::size_t i : sort_entries()) homes.push_back(homes_[i]);
    homes_ = std::move(homes);
    drop_doubles();
  }

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    return parts_[homes_[entry].part]->open(homes_[entry].entry, from);
  }

 private:
  struct Home {
    std::size_t part = 0;
    EntryNo entry = 0;
  };

  // Of files with one path and the same bytes the first is kept; others of that path all stay.
  void drop_doubles() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].path == entries_[i].path && are_alike(kept - 1, i)) continue;
      if (kept != i) {
        entries_[kept] = std::move(entries_[i]);
        homes_[kept] = homes_[i];
      }
      ++kept;
    }
    entries_.resize(kept);
    homes_.resize(kept);
  }

  // The size, and the first bytes: what is alike that far is no other file.
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

  // As many bytes as fit, fewer only at the end or where it cannot be read on.
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
  std::vector<Home> homes_;  // beside entries_
};

}  // namespace

std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts) {
  return std::make_unique<JoinedTree>(std::move(name), std::move(parts));
}

}  // namespace ladder::imports
