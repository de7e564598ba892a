// The list that was shown last on a terminal: `ladder show 2` opens its second record, and `ladder more` continues it. It is
// a file in the user's state folder that only the user can read, since it contains what was searched.
#pragma once

#include "base/error/error.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::cli {

struct LastList {
  struct Entry {
    std::string record;              // its id
    std::vector<std::string> group;  // the command that lists the rest of its conversation or thread; empty: it is alone
  };
  std::string store;              // location_digest of the store
  std::vector<Entry> entries;     // those of earlier pages first
  std::vector<std::string> next;  // the command for the next page, without "ladder"; empty: this was the last page
  std::string cursor;             // of the next page
};

// Each page of a list numbers its entries on from the page before. Returns the entries so far if `cursor` continues the
// last list of this store, else none.
std::vector<LastList::Entry> entries_before(const std::string& state_folder, const std::string& store,
                                            const std::optional<std::string>& cursor);
// Returns false if there is no state folder, or it cannot be written: then numbers have no meaning.
bool keep_last_list(const std::string& state_folder, const LastList& list);
// kNotFound without a list.
Result<LastList> last_list(const std::string& state_folder);

// Returns the number in "2"; nullopt for other words.
std::optional<std::size_t> list_number(const std::string& word);
// The entry with a number, counted from 1. kNotFound if the last list of this store has none.
Result<LastList::Entry> numbered_entry(const std::string& state_folder, const std::string& store, std::size_t number);

}  // namespace ladder::cli
