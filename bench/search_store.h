// A store whose one stream holds any number of records of 300 chars, made of words as unevenly frequent as those of a
// language; the same texts for the floor; and further records for single queries.
#pragma once

#include "scene.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::bench {

inline constexpr std::int64_t kTextChars = 300;
inline constexpr int kStreamCount = 500;

// Returns the word at a rank by frequency; 0 is the most common.
std::string zipf_word(std::int64_t rank);
// Returns the text of the n-th record.
std::string zipf_text(std::int64_t n);

// Ranks of the query words: they occur in about 9 of 10 records, 1 of 6, 1 of 100, and 3 of 10,000.
inline constexpr std::int64_t kVeryCommon = 1, kCommon = 25, kMiddling = 500, kRare = 15'000;

class SearchStore {
 public:
  enum class Spread : std::uint8_t { kOneStream, kManyStreams };
  // Fills the store unless it was kept.
  SearchStore(const std::string& engine, std::int64_t records, Spread spread, const std::string& keep = {},
              std::string_view suffix = {});

  server::ResourceServer& server() { return scene_->server(); }
  const ScratchLocation& place() const { return place_; }
  const std::string& name() const { return name_; }  // the engine's name
  const server::Access& client() const { return *client_; }
  std::int64_t records() const { return records_; }

  // Adds or replaces one record.
  void put(const std::string& id, const std::string& text);

 private:
  void fill(int streams);
  void grant(int streams);
  void ingest(const std::string& stream, std::string_view lines);

  ScratchLocation place_;
  std::string name_;
  std::int64_t records_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<server::Access> client_;
};

}  // namespace ladder::bench
