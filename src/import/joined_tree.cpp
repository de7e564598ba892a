// The parts of a split export as one tree.
#include "import/trees.h"

namespace ladder::imports {
namespace {

class JoinedTree final : public Tree {
 public:
  JoinedTree(std::string name, std::vector<std::unique_ptr<Tree>> parts) : parts_(std::move(parts)) {
    name_ = std::move(name);
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

  // Of files with one path and one size the first is kept; others of that path all stay.
  void drop_doubles() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].path == entries_[i].path && entries_[kept - 1].size == entries_[i].size) continue;
      if (kept != i) {
        entries_[kept] = std::move(entries_[i]);
        homes_[kept] = homes_[i];
      }
      ++kept;
    }
    entries_.resize(kept);
    homes_.resize(kept);
  }

  std::vector<std::unique_ptr<Tree>> parts_;
  std::vector<Home> homes_;  // beside entries_
};

}  // namespace

std::unique_ptr<Tree> join_trees(std::string name, std::vector<std::unique_ptr<Tree>> parts) {
  return std::make_unique<JoinedTree>(std::move(name), std::move(parts));
}

}  // namespace ladder::imports
