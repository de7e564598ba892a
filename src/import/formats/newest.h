// Of several versions of one record in the same files, which one is kept: without this, an import would write them over each
// other every time it runs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ladder::imports {

struct Version {
  std::int64_t sequence = 0;  // higher is newer
  std::int64_t time = 0;      // then later
  std::size_t file = 0;       // then what is read later: the place of the file, and the offset in it
  std::int64_t byte = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
};

class Newest {
 public:
  void saw(const std::string& id, const Version& version) {
    Version& best = best_.try_emplace(id, version).first->second;
    if (version > best) best = version;
  }
  bool is_newest(const std::string& id, std::size_t file, std::int64_t byte) const {
    const auto found = best_.find(id);
    return found == best_.end() || (found->second.file == file && found->second.byte == byte);
  }

 private:
  std::unordered_map<std::string, Version> best_;
};

}  // namespace ladder::imports
