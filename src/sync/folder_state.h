// The state of one folder of a source (a mailbox, a calendar): the items that were read, and the records that they became.
//
// The store keeps a folder as one item with its counters, and its items in pieces of up to kChunkEntries lines, so that a new
// message rewrites only the last of them. They are loaded only if something changed.
#pragma once

#include "sync/imap/client.h"
#include "sync/record_key.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync {

// A message, an event or a contact in a folder.
struct Entry {
  imap::Uid uid = 0;                    // the server's, or assigned in the order of the first sight
  std::string flags = {};               // of mail: Maildir letters in ASCII order, "FS"
  std::vector<RecordKey> records = {};  // empty if it could not be imported
  bool gone = false;                    // it is no longer at the source, and its records are not removed yet
  std::string name = {}, stamp = {};    // if the source has no numbers: its name there, and its version
};

struct Chunk {
  std::vector<Entry> entries;
  std::int64_t version = 0;  // of the item in the store; 0: new
  bool changed = false;
};

inline constexpr std::size_t kChunkEntries = 1000;

struct FolderState {
  std::string wire_name, name;
  std::uint32_t uid_validity = 0;
  imap::Uid uid_next = 1;      // the first number that was not read yet
  std::uint64_t modseq = 0;    // changes up to it are known; 0: none
  std::uint64_t messages = 0;  // at the source, when the folder was last read completely
  std::string token = {};      // of the last complete listing, where the source has one
  std::int64_t gone = 0;       // messages whose records are not removed yet, when it was saved
  std::int64_t chunk_count = 0;
  std::int64_t version = 0;  // of the item in the store; 0: new
  bool loaded = false;       // `chunks` are in memory
  std::vector<Chunk> chunks = {};

  void add(Entry entry);
  // Marks every message as gone. They stay until their records are removed or found again.
  void forget_all();
  // Calls `use(entry)` for every message; it returns whether it changed the entry.
  template <class Use>
  void each(Use use) {
    for (Chunk& chunk : chunks) {
      for (Entry& entry : chunk.entries) {
        if (use(entry)) chunk.changed = true;
      }
    }
  }
  std::uint64_t live() const;  // messages that are not gone
  std::uint64_t count() const;
};

std::string to_body(const FolderState& folder);
FolderState folder_of(std::string_view body);
std::string to_lines(const Chunk& chunk);
Chunk chunk_of(std::string_view lines);

// Returns the Maildir letters of IMAP flags, which are in lower case.
std::string maildir_flags(const std::set<std::string>& flags);

}  // namespace ladder::sync
