// Caches facts of streams and owners that searches need and that hardly change: whose a stream is, about how many records an
// owner has, and, as long as nobody writes, how many records have a word and what searches have read of the records of their
// heads. Kept in the process. Safe to use from any thread.
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/text/word_head.h"
#include "store/word_search.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

// The row of a stream, as far as a search needs it. It changes with every write to the stream's words.
struct StreamFacts {
  StreamNo no = 0;
  std::int64_t records = 0, max_version = 0, word_generation = 0;
  bool has_texts = false;        // there are records of several rows
  std::uint32_t written_by = 0;  // the transaction

  // No record of the stream differs between two views in which this is the same.
  struct State {
    std::int64_t max_version = 0, word_generation = 0;
    std::uint32_t written_by = 0;

    friend bool operator==(const State&, const State&) = default;
  };
  State state() const { return {max_version, word_generation, written_by}; }

  friend bool operator==(const StreamFacts&, const StreamFacts&) = default;
};

// Keeps what searches have read of the records of their heads (word_head.h): hashes of words, lengths and wordings, until
// somebody writes to the stream. Another page of a search, and a question that is put in other words, meets many of the same
// records, and need neither fetch nor read their texts again.
//
// A text is kept for the columns that it was read by, so that a caller who may read fewer fields never meets what another read
// of the others; and only for records that a search may see it is looked for. In streams with groups nothing is kept: the name of
// a group comes from the declaration, which may change while no record does. Safe to use from any thread.
class HeadTexts {
 public:
  struct Key {
    RecordNo record = 0;
    WordColumns columns = 0, context = 0, copies = 0;
    StreamFacts::State state;
  };
  using Text = std::shared_ptr<const HeadText>;

  // One for each key; null where none is kept, or one without the words that are asked for.
  std::vector<Text> find(std::span<const Key> keys, bool with_words);
  void keep(std::span<const Key> keys, std::span<const Text> texts);

 private:
  static constexpr std::size_t kMaxBytes = 8 << 20;  // with more, all are forgotten

  struct Id {
    RecordNo record = 0;
    WordColumns columns = 0, context = 0, copies = 0;

    friend bool operator==(const Id&, const Id&) = default;
  };
  struct Hash {
    std::size_t operator()(const Id& id) const;
  };
  struct Kept {
    StreamFacts::State state;
    Text text;
  };

  Mutex mutex_;
  std::unordered_map<Id, Kept, Hash> kept_ LADDER_GUARDED_BY(mutex_);
  std::size_t bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

class KnownStreams {
 public:
  // The owner of each scope's stream; 0: there is no such stream.
  Result<std::vector<OwnerNo>> owners(Connection& connection, std::span<const WordScope> scopes);
  // Of all the owner's streams together, as of a minute ago or less: for estimates.
  Result<std::int64_t> records(Connection& connection, OwnerNo owner);

  // The count that was kept under a key, which tells what was counted and the state of the streams at that time.
  std::optional<std::int64_t> count(const std::string& key);
  void keep_count(std::string key, std::int64_t count);

  // The rows of some streams, by number, that a search has seen last: likely the present ones. Empty: none.
  std::vector<StreamFacts> last_facts(const std::string& streams);
  void keep_facts(const std::string& streams, const std::vector<StreamFacts>& facts);

  HeadTexts& head_texts() { return head_texts_; }

 private:
  static constexpr std::size_t kMaxCountBytes = 4 << 20;  // of keys; with more, all are forgotten
  static constexpr std::size_t kMaxFacts = 64;            // likewise

  struct Size {
    std::int64_t records = 0;
    std::chrono::steady_clock::time_point at;
  };

  HeadTexts head_texts_;
  Mutex mutex_;
  std::unordered_map<StreamNo, OwnerNo> owners_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<OwnerNo, Size> sizes_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::int64_t> counts_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::vector<StreamFacts>> facts_ LADDER_GUARDED_BY(mutex_);  // by streams
  std::size_t count_bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::store::postgres
