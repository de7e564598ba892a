// Search in the API: hits with the words, the field and the exact range that matched (design D4, PDPP "search").
#pragma once

#include "api/answer_budget.h"
#include "api/records.h"
#include "base/time/time.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::api {

inline constexpr std::size_t kMaxFurtherWordings = 4;

enum class SearchOrder : std::uint8_t { kRelevance, kNewest, kOldest };

struct SearchRequest {
  std::string q;
  Scope scope;
  std::vector<std::string> streams;   // empty: everything in scope
  std::vector<Filter> filters;        // requires exactly one stream
  std::optional<std::int64_t> limit;  // default 25; values over 100 are clamped with a warning
  std::string cursor;
  bool match_all = false;                         // every word must occur; otherwise one is enough
  std::optional<Instant> since = {}, until = {};  // only records with a granted consent time in [since, until)
  SearchOrder order = SearchOrder::kRelevance;
  AnswerBudget* budget = nullptr;  // must outlive the call; null: no limit
  // Additional wordings or translations of q. Each is searched, and the hits are fused by reciprocal rank.
  std::vector<std::string> also = {};
  std::string group = {};  // a SearchGroup::id: lists only the hits of that conversation, thread or file
  // Only these connections; empty: all in scope. The owner's pages use it to leave out hidden sources.
  std::vector<std::string> connections = {};
};

// A part of a field shown in a response: chars [start_chars, end_chars).
struct ShownPart {
  std::string field_path;
  std::int64_t start_chars = 0, end_chars = 0;
  std::int64_t size_chars = 0;  // of the field
  std::string digest = {};      // of the field; empty if the server omits it
};

// Plain text of the record around matched words: chars [start_chars, end_chars) of the field.
struct MatchWindow {
  std::string field_path;  // in the format of model/field_path.h
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  std::int64_t size_chars = 0;  // of the field
  std::string text;
  bool complete = false;  // covers the complete field
  struct Range {
    std::int64_t start_chars = 0, end_chars = 0;  // of the field
    friend auto operator<=>(const Range&, const Range&) = default;
  };
  std::vector<Range> matches;      // the words inside the window
  std::string digest = {};         // of the field; empty if the server omits it
  std::int64_t read_start = -1;    // where reading starts in the field (api/preview.h); negative: unknown
  bool is_short_metadata = false;  // a title or another short field; reading the record is better
};

// The conversation, thread or file that contains a hit, as declared. Its best hit represents it.
struct SearchGroup {
  std::string id;         // for SearchRequest::group
  std::string label;      // the stream's term ("conversation"), or "wording" for hits with the same text
  std::int64_t more = 0;  // additional hits
  bool exact = true;      // false: `more` is a lower bound
  bool second = false;    // follows the best hit of its conversation because it has words that the best one lacks
};

// Selects the messages before and after a hit: records of its stream with the same `value` in `field`, which names
// the declared group or context, and with a day from `since` to `until` in `time_field`.
struct Neighbours {
  std::string field, value, time_field;
  std::string since, until;
  ShownPart part = {};  // the position of `value` in the hit
};

struct SearchHit {
  model::RecordRef ref;
  std::string other_id;  // a remote server's own id or URL for a hit without a record id
  std::string connector_key;
  std::string display_name;
  std::string emitted_at;
  std::string authored_at;                  // the granted consent time; empty if there is none
  std::vector<std::string> matched_fields;  // in declared order
  std::int64_t score = 0;                   // higher is better; comparable within one query
  std::vector<MatchWindow> windows;         // up to three, best first; empty: only metadata is available
  std::string title = {};                   // the declared title and author, if granted; one line
  std::string author = {};
  std::vector<std::string> words = {};    // query words that the record has, as typed
  std::vector<std::string> missing = {};  // query words that it lacks
  std::optional<SearchGroup> group = {};
  std::optional<Neighbours> neighbours = {};
  std::vector<ShownPart> lines = {};  // positions of title, author and authored_at in the record
};

// Returns where a read of the window's field starts; prefers the server's value.
std::int64_t read_start(const MatchWindow& window);

struct WordOccurrence {
  model::RecordRef record;
  ShownPart part;
};

// The number of granted records with one query word; reported if nothing was found or a word has no records.
struct SearchedWord {
  std::string word;                                   // as typed
  std::int64_t records = 0;                           // granted records that have it
  std::vector<std::string> near = {};                 // similar words in granted records, if it has no records
  std::vector<WordOccurrence> near_occurrences = {};  // the positions of similar words
  bool corrected = false;                             // the similar words were searched instead
};

// A language of the searched records; reported if little was found, so that the caller can also ask in it.
struct SearchLanguage {
  std::string code, name;  // ISO 639-1 code and English name
  bool asked = false;      // the question is in this language
};

struct SearchRecall {
  bool known = true;               // false: not reported; ignore the other members
  bool complete = true;            // every match was ranked
  bool truncated = false;          // only the newest matches were ranked
  std::string ranking_scope = {};  // what was ranked, as named by a remote server
  // Each is nullopt if the server does not report it.
  std::optional<std::int64_t> ranked_candidates = {};  // number of ranked matches
  std::optional<std::int64_t> sources_searched = {};
  std::optional<std::int64_t> candidate_window_limit = {};  // maximum ranked per source
  std::optional<std::int64_t> truncated_sources = {};       // sources with more matches
};

struct SearchPage {
  std::vector<SearchHit> hits;
  bool has_more = false;
  std::string next_cursor;
  std::optional<std::int64_t> count;  // nullopt: nothing could be searched, or a remote server does not count
  bool count_exact = true;            // false: a lower bound
  SearchRecall recall;
  std::optional<std::int64_t> count_all_words = {};  // matches with every word; nullopt: not counted
  std::vector<SearchedWord> searched_words = {};
  std::vector<SearchLanguage> languages = {};
  std::int64_t pending_scopes = 0;  // streams in scope with fields that are still being indexed
  std::vector<Warning> warnings;
  std::string request_id = {};  // from a remote server

  bool searched_nothing() const { return !count && recall.known && hits.empty(); }
};

}  // namespace ladder::api
