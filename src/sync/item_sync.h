// Brings a folder up to date whose items have names and versions instead of message numbers: a Maildir, a calendar, an address
// book. New and changed items are fetched in batches; missing ones are marked as gone.
#pragma once

#include "sync/folder_sync.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync {

struct ListedItem {
  std::string name;
  std::string stamp = {};  // changes with its content
  std::string flags = {};  // of mail: Maildir letters
};

struct Listing {
  std::vector<ListedItem> items;
  std::vector<std::string> gone = {};
  bool is_complete = false;  // known items that it does not list are gone
};

// Calls `add` with the index and the content of each item of the batch. An item that cannot be read has no content; it is known
// then, so that it is reported once. An item that vanished meanwhile is left out.
using AddItem = std::function<Status(std::size_t index, std::optional<std::string_view> content)>;
using FetchItems = std::function<Status(std::span<const ListedItem> batch, const AddItem& add)>;

struct ItemFormat {
  std::string_view ending;        // of the staged files: ".ics"; empty for mail, whose file names have the flags
  std::size_t batch_items = 250;  // that are fetched and imported together
};

Status sync_items(RunParts& run, FolderState& folder, const Listing& listing, const FetchItems& fetch, const ItemFormat& format);

}  // namespace ladder::sync
