// One search on its way: the request is parsed, aimed at what the grants show, asked of the store and made into a page. Each step
// has a file: search.cpp (the request and the grants), search_question.cpp (the question to the store), search_terms.cpp (the
// terms that are sought), search_page.cpp (the page) and search_warnings.cpp (its warnings).
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "server/catalog/catalog.h"
#include "server/search/near_words.h"
#include "server/search/search_cursor.h"
#include "server/search/search_fusion.h"
#include "server/search/search_group.h"
#include "server/search/search_plan.h"
#include "server/search/search_wording.h"
#include "server/search/time_words.h"
#include "store/store.h"
#include "store/text/forms/compounds.h"
#include "store/text/forms/record_languages.h"
#include "store/text/word_query.h"
#include "store/word_search.h"

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

  Status parse();                           // the arguments, by themselves
  Status aim(const OwnerCatalog& catalog);  // the grants: nothing has been read yet
  // nullopt: something moved underneath; aim at the newest catalog and search again.
  Result<std::optional<api::SearchPage>> read(const OwnerCatalog& catalog);

 private:
  void take_kinds(std::string_view question);
  Status take_words(std::string_view question);
  Status take_times();
  Status parse_wordings(bool forms);
  Status learn_languages(store::Reader& reader);
  Result<std::vector<store::Language>> languages_in(store::Reader& reader, store::Alphabet alphabet) const;
  Status tell_languages(store::Reader& reader, api::SearchPage& page);
  Result<bool> check_grants(store::Reader& reader, const OwnerCatalog& catalog);  // false: the catalog has moved on
  Result<bool> grants_still_valid() const;
  Result<std::optional<api::SearchPage>> search(store::Reader& reader);
  Result<bool> fill(store::Reader& reader, const store::WordPage& found, api::SearchPage& page);
  Result<bool> fill(store::Reader& reader, FusedHits& fused, api::SearchPage& page);
  Result<std::optional<api::SearchPage>> search_words(store::Reader& reader);
  Result<std::optional<api::SearchPage>> search_wordings(store::Reader& reader);
  Result<std::optional<api::SearchPage>> list(store::Reader& reader);
  api::SearchPage begin_page() const;
  store::WordSearch question() const;
  store::WordSearch counting(const store::WordQuery& query) const;
  std::vector<store::WordScope> scopes() const;
  bool in_group(const SearchPlace& place, const store::RecordRow& record) const;
  Status widen_group(store::Reader& reader);
  Result<store::WordPage> find(store::Reader& reader);
  Result<store::WordPage> find_all_kept(store::Reader& reader) const;
  Status choose_terms(store::Reader& reader);
  Status find_parts(store::Reader& reader, const store::WordPage& found);
  Result<std::optional<store::CompoundParts>> parts_of(store::Reader& reader, const store::WordTerm& term) const;
  Status find_corrections(store::Reader& reader, const store::WordPage& found);
  Status look_near(store::Reader& reader, const store::WordTerm& term, api::SearchedWord& word) const;
  void list_short_texts(const store::WordHit& hit, const NearWords& near, api::SearchedWord& word) const;
  Status list_long_texts(store::Reader& reader, std::span<const store::WordHit> hits, const NearWords& near,
                         api::SearchedWord& word) const;
  void end_page(const store::WordPage& found, api::SearchPage& page) const;
  std::string cursor_behind(const store::WordPage& found, const store::WordPlace& last) const;
  void explain(const store::WordPage& found, api::SearchPage& page) const;
  void warn_of_words(api::SearchPage& page) const;
  void warn_of_times(api::SearchPage& page) const;
  void warn_of_time_words(api::SearchPage& page) const;
  void warn_of_common_words(const store::WordWeights& weights, api::SearchPage& page) const;

  store::Store& store_;
  const Clock& clock_;
  const crypto::Sealer& sealer_;
  SearchPlans& plans_;
  const Access& access_;
  const api::SearchRequest& request_;
  const std::stop_token stop_;
  const Deadline deadline_;

  std::string q_;                                          // without `in:name`
  std::set<std::string> kinds_;                            // the names; empty: everything is searched
  bool has_attachment_ = false;                            // only records to which something is attached
  std::set<std::string> fields_;                           // names that may stand before a colon
  std::optional<TimeWords> time_words_;                    // of the question, where no other range is asked for
  TimeRange times_;                                        // that is searched
  bool times_are_words_ = false;                           // it comes from the question
  bool lists_ = false;                                     // there are no words: the range is listed
  std::optional<std::vector<store::Language>> languages_;  // of the records, once they are known
  std::vector<store::WordQuery> wordings_;                 // as they were asked: q and the further ones
  // The wording that is being searched, with the changes that the first page made to it.
  store::WordQuery query_;
  QueryChanges changes_;
  std::map<std::size_t, api::SearchedWord> absent_;  // terms that no granted record has
  std::int64_t limit_ = 0;
  std::string binding_;
  std::optional<SearchPosition> from_;
  std::vector<std::uint32_t> shown_;  // hashes of the records on earlier pages, where there are several wordings
  std::optional<GroupChoice> group_;
  std::shared_ptr<const SearchPlan> plan_;
  std::set<const HeldGrant*> live_grants_;
};

}  // namespace ladder::server
