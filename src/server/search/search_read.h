// Executes one search: parse the request, resolve the grants, query the store, and build the page. Each step has a
// file: search.cpp (request and grants), search_question.cpp (store query), search_terms.cpp (choice of terms),
// search_page.cpp (page) and search_warnings.cpp (warnings).
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "server/catalog/catalog.h"
#include "server/search/search_cursor.h"
#include "server/search/search_fusion.h"
#include "server/search/search_group.h"
#include "server/search/search_plan.h"
#include "server/search/search_wording.h"
#include "server/search/spelling_suggestions.h"
#include "server/search/time_words.h"
#include "store/rows/word_search.h"
#include "store/store.h"
#include "text/forms/compounds.h"
#include "text/record_languages.h"
#include "text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::server {

class SearchRead {
 public:
  SearchRead(store::Store& store, const Clock& clock, const crypto::Sealer& sealer, SearchPlans& plans, const Access& access,
             const api::SearchRequest& request, std::stop_token stop)
      : store_(store),
        clock_(clock),
        sealer_(sealer),
        plans_(plans),
        access_(access),
        request_(request),
        stop_(std::move(stop)),
        deadline_(access.deadline(limits::kSearchDeadlineMs)) {}

  Status parse();                           // validates the arguments alone
  Status aim(const OwnerCatalog& catalog);  // resolves the grants; nothing has been read yet
  // Returns nullopt if data changed during the read: resolve against the newest catalog and search again.
  Result<std::optional<api::SearchPage>> read(const OwnerCatalog& catalog);

 private:
  void parse_kinds(std::string_view question);
  Status parse_words(std::string_view question);
  Status choose_times();
  Status parse_wordings();
  void add_forms();
  Status learn_languages(store::Reader& reader);
  Result<std::vector<text::Language>> languages_in(store::Reader& reader, text::Alphabet alphabet) const;
  Status report_languages(store::Reader& reader, api::SearchPage& page);
  Result<bool> check_grants(store::Reader& reader, const OwnerCatalog& catalog);  // false: the catalog has changed
  Result<bool> grants_still_valid() const;
  Result<std::optional<api::SearchPage>> search(store::Reader& reader);
  Result<bool> fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page);
  Result<bool> fill(store::Reader& reader, FusedHits& fused, api::SearchPage& page);
  Result<std::optional<api::SearchPage>> search_words(store::Reader& reader);
  Result<std::optional<api::SearchPage>> search_wordings(store::Reader& reader);
  Result<std::optional<api::SearchPage>> list(store::Reader& reader);
  api::SearchPage begin_page() const;
  store::WordSearch question() const;
  store::WordSearch counting(const text::WordQuery& query) const;
  std::vector<store::WordScope> scopes() const;
  bool in_group(const SearchStream& place, const store::RecordRow& record) const;
  Status widen_group(store::Reader& reader);
  Result<store::WordPage> find(store::Reader& reader);
  Result<store::WordPage> find_full_page(store::Reader& reader) const;
  Status choose_terms(store::Reader& reader);
  Status find_parts(store::Reader& reader, const store::WordPage& found);
  Result<std::optional<text::CompoundParts>> parts_of(store::Reader& reader, const text::WordTerm& term) const;
  Status find_corrections(store::Reader& reader, const store::WordPage& found);
  Status find_similar_words(store::Reader& reader, const text::WordTerm& term, api::SearchedWord& word) const;
  void list_short_texts(const store::WordHit& hit, const SpellingSuggestions& near, api::SearchedWord& word) const;
  Status list_long_texts(store::Reader& reader, std::span<const store::WordHit> hits, const SpellingSuggestions& near,
                         api::SearchedWord& word) const;
  void end_page(const store::WordPage& found, api::SearchPage& page) const;
  std::string cursor_after(const store::WordPage& found, const text::HitSortKey& last) const;
  void explain(const store::WordPage& found, api::SearchPage& page) const;
  void warn_of_words(api::SearchPage& page) const;
  void warn_of_times(api::SearchPage& page) const;
  void warn_of_time_words(api::SearchPage& page) const;
  void warn_of_common_words(const text::WordWeights& weights, api::SearchPage& page) const;

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  SearchPlans& plans_;
  const Access& access_;
  const api::SearchRequest& request_;
  const std::stop_token stop_;
  const Deadline deadline_;

  std::string q_;                                         // without `in:name`
  std::set<std::string> kinds_;                           // names from `in:name`; empty: everything is searched
  bool has_attachment_ = false;                           // only records with attachments
  std::set<std::string> fields_;                          // names allowed before a colon
  std::optional<TimeWords> time_words_;                   // parsed from the question, unless the request sets a range
  TimeRange times_;                                       // the searched range
  bool times_are_words_ = false;                          // the range comes from the question
  bool lists_ = false;                                    // no words remain, so the range is listed
  std::optional<std::vector<text::Language>> languages_;  // languages of the records, once known
  struct ParsedWordings {
    std::string q;
    std::set<std::string> fields;
    std::vector<text::WordQuery> wordings;
  };
  std::optional<ParsedWordings> parsed_;   // the last result of parse_wordings()
  std::vector<text::WordQuery> wordings_;  // as requested: q and the further wordings; with forms after add_forms()
  // The wording being searched, with the changes made by the first page.
  text::WordQuery query_;
  QueryChanges changes_;
  std::map<std::size_t, api::SearchedWord> absent_;  // terms that no granted record has
  std::int64_t limit_ = 0;
  std::string binding_;
  std::optional<SearchPosition> from_;
  std::vector<std::uint32_t> shown_;  // hashes of the records on earlier pages, if there are several wordings
  std::optional<GroupChoice> group_;
  std::shared_ptr<const SearchPlan> plan_;
  std::set<const HeldGrant*> live_grants_;
};

}  // namespace ladder::server
