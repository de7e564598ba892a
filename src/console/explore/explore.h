// The question that the page Explore is asked, and the lists that it answers with.
#pragma once

#include "console/explore/viewer.h"
#include "pages/form.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::console {

struct Question {
  std::string q, source, since, until, order, cursor, group, as;
  std::vector<std::string> streams;

  static Question of(const pages::Form& form);
  // The page that asks the same from the beginning; nothing about whose eyes unless said.
  html::Url address() const;
  html::Url seen_address() const { return address().with("as", as); }
  bool is_narrowed() const { return !source.empty() || !streams.empty() || !since.empty() || !until.empty(); }
  std::optional<Instant> since_time() const, until_time() const;  // by this machine's clock; `until` is the end of its day
};

// A stream that the question's filters leave in.
bool is_asked(const Question& question, const ShownStream& stream);

struct ExploreContext {
  server::ResourceServer& server;
  const server::Access& owner;
  const Viewer& viewer;
  ClientFaces& faces;
  const ShownStreams& streams;
  Instant now = 0;
  std::int64_t records = -1;  // that the owner has; not told of a client
};

inline constexpr std::int64_t kListed = 20;  // records of a page

// The hits of the words, best first.
Result<html::Writer> search_results(const ExploreContext& context, const Question& question);
// Without words: the newest of everything.
Result<html::Writer> newest_records(const ExploreContext& context, const Question& question);

// The link to a record, which knows the way back to the question.
html::Url record_address(const model::RecordRef& record, const Question& question);
html::Writer seen_by(const ExploreContext& context, const model::RecordRef& record);

}  // namespace ladder::console
