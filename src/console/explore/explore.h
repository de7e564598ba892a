// The query of the Search page, and the result lists.
#pragma once

#include "console/explore/viewer.h"
#include "pages/form.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::console {

struct ExploreQuery {
  std::string q, source, since, until, order, cursor, group, as;
  std::vector<std::string> streams;

  static ExploreQuery of(const pages::Form& form);
  // The URL of the first page of this query, as the owner.
  html::Url address() const;
  html::Url viewer_address() const { return address().with("as", as); }
  bool is_narrowed() const { return !source.empty() || !streams.empty() || !since.empty() || !until.empty(); }
  std::optional<Instant> since_time() const, until_time() const;  // local time; `until` is the end of the day
};

// Returns whether the filters include the stream.
bool matches_filters(const ExploreQuery& query, const ShownStream& stream);

struct ExploreContext {
  server::ResourceServer& server;
  const server::Access& owner;
  const Viewer& viewer;
  ClientFaces& faces;
  const ShownStreams& streams;
  Instant now = 0;
  std::int64_t records = -1;  // records of the owner; -1 for a client
};

inline constexpr std::int64_t kListed = 20;  // records per page

// The hits, best first.
Result<html::Writer> search_results(const ExploreContext& context, const ExploreQuery& query);
// The newest records, for an empty query.
Result<html::Writer> newest_records(const ExploreContext& context, const ExploreQuery& query);

// The link to a record. Keeps the query for the way back.
html::Url record_address(const model::RecordRef& record, const ExploreQuery& query);
html::Writer seen_by(const ExploreContext& context, const model::RecordRef& record);

}  // namespace ladder::console
