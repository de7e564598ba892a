// The query of the Search page, and the result lists.
#pragma once

#include "api/search.h"
#include "console/explore/viewer.h"
#include "pages/form.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ladder::console {

struct ExploreQuery {
  std::string q, source, since, until, order, cursor, group, as;
  std::vector<std::string> streams;
  std::vector<std::string> sources = {};  // the connections that `source` means

  static ExploreQuery of(const pages::Form& form);
  // The URL of the first page of this query, as the owner.
  html::Url address() const;
  html::Url viewer_address() const { return address().with("as", as); }
  bool takes(const std::string& connection_id) const;  // the source filter includes it
  bool is_narrowed() const { return !source.empty() || !streams.empty() || !since.empty() || !until.empty(); }
  std::optional<Instant> since_time() const, until_time() const;  // local time; `until` is the end of the day
};

// Returns whether the filters include the stream.
bool matches_filters(const ExploreQuery& query, const ShownStream& stream);
// Returns whether the list without words contains the stream. Streams that only link records, such as the folders of mail, are
// listed only if they are selected.
bool is_listed(const ExploreQuery& query, const ShownStream& stream);

// Numbers of records by connection and stream.
using RecordCounts = std::map<std::pair<std::string, std::string>, std::int64_t>;

struct ExploreContext {
  server::ResourceServer& server;
  const server::Access& owner;
  const Viewer& viewer;
  ClientFaces& faces;
  const ShownStreams& streams;
  Instant now = 0;
  RecordCounts counts = {};  // that the date filter includes; empty if unknown

  std::int64_t records() const;  // the sum; -1 if unknown
};

// The filters above the results: a chip for each active one, and menus to add others.
html::Writer filter_chips(const ExploreContext& context, const ExploreQuery& query);
html::Writer filter_menus(const ExploreContext& context, const ExploreQuery& query);
// Counts the records by the date filter alone, so that the menus show what each choice would list.
Result<RecordCounts> record_counts(const ExploreContext& context, const ExploreQuery& query);

inline constexpr std::int64_t kListed = 20;  // records per page

// The hits, best first.
Result<html::Writer> search_results(const ExploreContext& context, const ExploreQuery& query);
// The newest records, for an empty query.
Result<html::Writer> newest_records(const ExploreContext& context, const ExploreQuery& query);

// The newest records with a time in the range of dates of the query, at most `limit` (100).
struct DatedLines {
  std::vector<RecordLine> lines;
  bool has_more = false;
};
Result<DatedLines> newest_lines(const ExploreContext& context, const ExploreQuery& query, std::int64_t limit);

// A search, and its hits as a list.
Result<api::SearchPage> search_page(const ExploreContext& context, const ExploreQuery& query, std::int64_t limit);
html::Writer hit_list(const ExploreContext& context, const ExploreQuery& query, const api::SearchPage& page);

// The text of a window with the matches marked.
html::Writer marked(const api::MatchWindow& window);
// The link to the place of the match, if it is in the text; otherwise to the record.
html::Url hit_address(const ShownStreams& streams, const ExploreQuery& query, const api::SearchHit& hit);
// The link to a record. Keeps the query for the way back.
html::Url record_address(const model::RecordRef& record, const ExploreQuery& query);
// The list next to the pane in which the script shows the selected record.
html::Writer with_pane(const html::Writer& list);
html::Writer seen_by(const ExploreContext& context, const model::RecordRef& record);

}  // namespace ladder::console
