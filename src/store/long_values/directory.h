// The directory of a large object or array: the position of each member in the JSON text, so that resolving a JSON
// Pointer costs its depth plus 16 KiB (design D3). Pages are keyed by (value id, smallest key). A key is an array
// index, or for objects the first 8 bytes of the SHA-256 of the member name as a signed number. Small array elements
// share an entry with their neighbors, up to 16 KiB.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store {

struct DirectoryEntry {
  std::int64_t key = 0;          // index of the first element, or hash of the name
  std::int64_t count = 1;        // elements in this entry (arrays)
  std::int64_t start_chars = 0;  // from the start of the container's own text to the name's quote or the first element
  std::int64_t size_chars = 0;   // up to the end of the (last) value
  std::string reference;         // format_reference of a member that is itself long; empty otherwise
};

std::int64_t name_key(std::string_view decoded_name);  // the directory key of a member name

// Packs sorted entries into pages of at most about 4 KiB. Entries of one key always share a page.
class DirectoryBuilder {
 public:
  // `raw_name` is the member's name as written in the text, which must outlive the builder; empty for arrays. Of
  // several members with the same name the first counts, as everywhere in Ladder.
  void add(DirectoryEntry entry, std::string_view raw_name = {});
  // Sorts by key and calls put(first, page) for each page.
  template <class Put>
  Status finish(Put put) {
    for (const auto& [first, page] : pages()) LADDER_CHECK(put(first, page));
    return {};
  }

 private:
  struct Named {
    DirectoryEntry entry;
    std::string_view raw_name;
  };
  void drop_repeated_names();
  std::vector<std::pair<std::int64_t, std::string>> pages();

  std::vector<Named> entries_;
};

// The entries of a page that may hold `key`: for arrays the one that covers the index, for objects all with that hash,
// in text order. Returns none if the bytes are not a page.
std::vector<DirectoryEntry> find_entries(std::string_view page, std::int64_t key);

}  // namespace ladder::store
