// Search through the port: hits with the words, the field and the exact range that matched (design D4, PDPP "search").
#pragma once

#include "api/records.h"
#include "base/time/time.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ladder::api {

inline constexpr std::size_t kMaxFurtherWordings = 4;

enum class SearchOrder : std::uint8_t { kRelevance, kNewest, kOldest };

struct SearchPage;

struct SearchRequest {
  std::string q;
  Scope scope;
  std::vector<std::string> streams;   // empty: everything within reach
  std::vector<Filter> filters;        // with exactly one stream
  std::optional<std::int64_t> limit;  // 25 unless given; over 100 clamps with a warning
  std::string cursor;
  bool match_all = false;                         // every word must occur; otherwise one of them makes a hit
  std::optional<Instant> since = {}, until = {};  // only records whose granted consent time lies within [since, until)
  SearchOrder order = SearchOrder::kRelevance;
  // How many of a page's hits the reader has room for. A server in this process ends the page there, one hit at least, and its
  // cursor goes on behind them; a server elsewhere does not know of it.
  std::function<std::size_t(const SearchPage&)> keep = {};
  // Takes out of the page what its reader does not show, after `keep`: what a server in this process hands out is what its ledger
  // notes.
  std::function<void(SearchPage&)> shown = {};
  // Further wordings or translations of q. Each is searched, and the hits are fused by reciprocal rank.
  std::vector<std::string> also = {};
  std::string group = {};  // a SearchGroup::id: only the hits of that conversation, thread or file, one by one
};

// A place in a field that an answer shows: chars [start_chars, end_chars).
struct ShownPart {
  std::string field_path;
  std::int64_t start_chars = 0, end_chars = 0;
  std::int64_t size_chars = 0;  // of the field
  std::string digest = {};      // of the field; empty where the server does not say
};

// Plain text of the record around matched words: chars [start_chars, end_chars) of the field.
struct MatchWindow {
  std::string field_path;  // as model/field_path.h reads it
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  std::int64_t size_chars = 0;  // of the field
  std::string text;
  bool complete = false;  // the whole field
  struct Range {
    std::int64_t start_chars = 0, end_chars = 0;  // of the field
    friend auto operator<=>(const Range&, const Range&) = default;
  };
  std::vector<Range> matches;      // the words inside it
  std::string digest = {};         // of the field; empty where the server does not say
  std::int64_t read_start = -1;    // the character of the field at which reading starts (api/preview.h); negative: unknown
  bool is_short_metadata = false;  // a title or another short field next to the text: the record is a better next read
};

// The conversation, thread or file that a hit is part of, as its declaration says; its best hit stands for all of them.
struct SearchGroup {
  std::string id;         // for SearchRequest::group
  std::string label;      // the stream's word for it ("conversation"), or "wording" for hits with the same text
  std::int64_t more = 0;  // further hits in it
  bool exact = true;      // else there are at least so many
  bool second = false;    // the hit follows the best one of its conversation, since it has words that the best one lacks
};

// The messages before and after a hit: records of its stream with the same `value` in `field`, which names the declared whole or
// context, and a day from `since` to `until` in `time_field`.
struct Neighbours {
  std::string field, value, time_field;
  std::string since, until;
  ShownPart part = {};  // the place of `value` in the hit, for a reader that shows it
};

struct SearchHit {
  model::RecordRef ref;
  std::string other_id;  // what another server calls a hit that names no record: an id of its own, or a URL
  std::string connector_key;
  std::string display_name;
  std::string emitted_at;
  std::string authored_at;                  // the granted consent time; empty when there is none
  std::vector<std::string> matched_fields;  // in declared order
  std::int64_t score = 0;                   // higher is better; comparable within one query
  std::vector<MatchWindow> windows;         // up to three, best first; none: only metadata is available
  std::string title = {};                   // the declared title and author, where granted; cut to a line
  std::string author = {};
  std::vector<std::string> words = {};    // of the query, as typed: those that the record has
  std::vector<std::string> missing = {};  // and those that it lacks
  std::optional<SearchGroup> group = {};
  std::optional<Neighbours> neighbours = {};
  std::vector<ShownPart> lines = {};  // where title, author and authored_at stand in the record
};

// Returns where a read of the window's field starts; the server's own answer if it gave one.
std::int64_t read_start(const MatchWindow& window);

struct NearPlace {
  model::RecordRef record;
  ShownPart part;
};

// Counts one word of the query in the granted records; told when nothing was found, or words are missing everywhere.
struct SearchedWord {
  std::string word;                         // as typed
  std::int64_t records = 0;                 // granted records that have it
  std::vector<std::string> near = {};       // the nearest words that granted records have, where it has no records
  std::vector<NearPlace> near_places = {};  // where those stand
  bool corrected = false;                   // the near words were searched in its place
};

// A language that searched records are in; told where little was found, so that the question can be put in it, too.
struct SearchLanguage {
  std::string code, name;  // by ISO 639-1, and in English
  bool asked = false;      // the question is in it
};

struct SearchRecall {
  bool known = true;               // false: the server does not say; the rest means nothing then
  bool complete = true;            // every match was ranked
  bool truncated = false;          // only the newest were
  std::string ranking_scope = {};  // what was ranked, in another server's word
  // Each is nullopt where the server does not say.
  std::optional<std::int64_t> ranked_candidates = {};  // how many
  std::optional<std::int64_t> sources_searched = {};
  std::optional<std::int64_t> candidate_window_limit = {};  // the most that are ranked of one source
  std::optional<std::int64_t> truncated_sources = {};       // sources that had more
};

struct SearchPage {
  std::vector<SearchHit> hits;
  bool has_more = false;
  std::string next_cursor;
  std::optional<std::int64_t> count;  // nullopt: nothing could be searched, or another server does not count
  bool count_exact = true;            // else a lower bound
  SearchRecall recall;
  std::optional<std::int64_t> count_all_words = {};  // how many of them have every word; nullopt: not counted
  std::vector<SearchedWord> searched_words = {};
  std::vector<SearchLanguage> languages = {};
  std::int64_t pending_scopes = 0;  // streams within reach whose fields are still being indexed
  std::vector<Warning> warnings;
  std::string request_id = {};  // of a server elsewhere

  bool searched_nothing() const { return !count && recall.known && hits.empty(); }
};

}  // namespace ladder::api
