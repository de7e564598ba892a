// A store whose one stream holds so many records of 300 chars, made of words that are as unevenly common as those of a language;
// the same texts for the floor; and further records for single questions.
#pragma once

#include "scene.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::bench {

inline constexpr std::int64_t kTextChars = 300;
inline constexpr int kStreamCount = 500;

// The word at a rank by frequency, 0 the most common.
std::string zipf_word(std::int64_t rank);
// The text of the n-th record.
std::string zipf_text(std::int64_t n);

// How often the words of the questions occur: in about 9 of 10 records, 1 of 6, 1 of 100, and 3 of 10,000.
inline constexpr std::int64_t kVeryCommon = 1, kCommon = 25, kMiddling = 500, kRare = 15'000;

class SearchStore {
 public:
  enum class Spread : std::uint8_t { kOneStream, kManyStreams };
  // Fills it, unless it was kept.
  SearchStore(const std::string& engine, std::int64_t records, Spread spread, const std::string& keep = {},
              std::string_view suffix = {});

  server::ResourceServer& server() { return scene_->server(); }
  const Place& place() const { return place_; }
  const std::string& name() const { return name_; }  // of its engine
  const server::Access& client() const { return *client_; }
  std::int64_t records() const { return records_; }

  // A record beside the others. Its id may be there already.
  void put(const std::string& id, const std::string& text);

 private:
  void fill(int streams);
  void grant(int streams);
  void ingest(const std::string& stream, std::string_view lines);

  Place place_;
  std::string name_;
  std::int64_t records_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<server::Access> client_;
};

}  // namespace ladder::bench
