// A tree whose files are in memory, for tests and fuzz targets of formats.
#pragma once

#include "import/tree/tree.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder::imports::testing {

using Files = std::map<std::string, std::string>;  // path → text

class MemoryTree final : public Tree {
 public:
  explicit MemoryTree(Files files, std::string name = "export") {
    name_ = std::move(name);
    for (auto& [path, text] : files) {
      entries_.push_back({path, static_cast<std::int64_t>(text.size()), std::nullopt});
      texts_.push_back(std::move(text));
    }
  }

  Result<std::unique_ptr<Bytes>> open_entry(EntryNo entry, std::int64_t from) override {
    const std::string_view text = texts_[entry];
    return std::make_unique<BytesInMemory>(text.substr(std::min(static_cast<std::size_t>(from), text.size())));
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace ladder::imports::testing
