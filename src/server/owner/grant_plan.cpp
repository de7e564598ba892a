#include "server/owner/grant_plan.h"

#include "base/text/format.h"
#include "json/scan/scan.h"
#include "model/quote.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::server {
namespace {

using model::in_quotes;

// Normalizes a compound key with whitespace. Malformed keys are left for grant/ to reject.
std::string tidy_key(const std::string& key, std::size_t arity) {
  if (arity < 2 || !json::check(key, 1)) return key;
  auto canonical = model::canonical_key(json::value_of(key), arity);
  return canonical ? *std::move(canonical) : key;
}

bool same_bounds(const grant::StreamSelection& a, const grant::StreamSelection& b) {
  return a.fields == b.fields && a.since == b.since && a.until == b.until && a.resources == b.resources;
}

Result<std::vector<ConnectionStream>> places_of(const OwnerCatalog& catalog, const GrantSelection& selection) {
  std::vector<ConnectionStream> places;
  if (!selection.connection_id.empty()) {
    const ConnectionEntry* connection = catalog.connection(selection.connection_id);
    if (!connection) return unknown_connection(catalog, selection.connection_id);
    if (connection->row.status != "active") {
      return fail(Code::kConnectionInactive,
                  format("connection {} is {}; only an active one can be granted", in_quotes(selection.connection_id),
                         connection->row.status),
                  "connection_id");
    }
    const auto place = catalog.find_stream(*connection, selection.stream);
    if (!place) return unknown_stream(*connection->source, selection.stream);
    places.push_back(*place);
    return places;
  }
  for (const auto& connection : catalog.connections()) {
    if (connection->row.status != "active") continue;
    if (const auto place = catalog.find_stream(*connection, selection.stream)) places.push_back(*place);
  }
  if (!places.empty()) return places;

  std::vector<std::string> names;
  for (const auto& source : catalog.sources()) {
    if (source->declaration.stream(selection.stream)) {
      return fail(Code::kConnectionNotFound,
                  format("source {} declares the stream {}, but has no active connection; `ladder connection add {}` adds one",
                         in_quotes(source->row.key), in_quotes(selection.stream), source->row.key),
                  "stream");
    }
    for (const model::Stream& stream : source->declaration.streams) {
      if (std::ranges::find(names, stream.name) == names.end()) names.push_back(stream.name);
    }
  }
  return fail(Code::kStreamNotDeclared,
              format("no source declares a stream {}; there is {}", in_quotes(selection.stream), listed(names, "none yet")),
              "stream");
}

// Returns the first named field that the stream lacks; "" if it has them all.
std::string missing_field(const model::Stream& declared, const std::vector<std::string>& fields) {
  const auto found = std::ranges::find_if(fields, [&](const std::string& name) { return declared.field(name) == nullptr; });
  return found == fields.end() ? "" : *found;
}

// Sources may use a stream name such as "messages" differently. Without a connection, only streams with all the named
// fields are meant.
Status leave_out_others(const GrantSelection& selection, std::vector<ConnectionStream>& places) {
  if (places.size() < 2) return {};
  const auto lacks = [&](const ConnectionStream& place) { return !missing_field(*place.declared, selection.fields).empty(); };
  if (!std::ranges::all_of(places, lacks)) {
    std::erase_if(places, lacks);
    return {};
  }
  constexpr std::size_t kShown = 4;
  std::string which;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    which += format("{}{} has no {}", i == 0 ? "" : ", ", in_quotes(places[i].connection->row.connection_id),
                    in_quotes(missing_field(*places[i].declared, selection.fields)));
  }
  if (places.size() > kShown) which += format(", {} more lack one", places.size() - kShown);
  return fail(Code::kUnknownField,
              format("no connection has a stream {} with all of these fields: {}; `ladder schema {}` shows them",
                     in_quotes(selection.stream), which, selection.stream),
              "fields");
}

PlannedGrant& plan_for(std::vector<PlannedGrant>& plans, const SourceEntry* source) {
  const auto found = std::ranges::find(plans, source, &PlannedGrant::source);
  return found != plans.end() ? *found : plans.emplace_back(PlannedGrant{source, {}});
}

Status add(PlannedGrant& plan, const ConnectionStream& place, const GrantSelection& selection) {
  grant::StreamSelection wanted{
      selection.stream, {place.connection->row.connection_id}, selection.fields, selection.since, selection.until, {}};
  for (const std::string& key : selection.records) wanted.resources.push_back(tidy_key(key, place.declared->primary_key.size()));
  const auto known = std::ranges::find(plan.streams, wanted.name, &grant::StreamSelection::name);
  if (known == plan.streams.end()) {
    plan.streams.push_back(std::move(wanted));
    return {};
  }
  if (!same_bounds(*known, wanted)) {
    return fail(
        Code::kInvalidRequest,
        format("stream {} of source {} is selected twice with different fields, times or records; make a grant of its own "
               "for each",
               in_quotes(selection.stream), in_quotes(plan.source->row.key)),
        "stream");
  }
  if (std::ranges::find(known->instance_ids, wanted.instance_ids.front()) == known->instance_ids.end()) {
    known->instance_ids.push_back(std::move(wanted.instance_ids.front()));
  }
  return {};
}

// Expands "*" of a connection into one selection per stream.
Result<std::vector<GrantSelection>> each_stream(const OwnerCatalog& catalog, const GrantSelection& selection) {
  if (selection.stream != "*" || selection.connection_id.empty()) return std::vector{selection};
  const ConnectionEntry* connection = catalog.connection(selection.connection_id);
  if (!connection) return unknown_connection(catalog, selection.connection_id);
  if (!selection.fields.empty() || !selection.records.empty()) {
    return fail(Code::kInvalidRequest,
                format("fields and records are those of one stream; name the stream of connection {} with --stream",
                       in_quotes(selection.connection_id)),
                selection.fields.empty() ? "record" : "fields");
  }
  std::vector<GrantSelection> all;
  for (const model::Stream& stream : connection->source->declaration.streams) {
    all.push_back(selection);
    all.back().stream = stream.name;
  }
  return all;
}

}  // namespace

Result<std::vector<PlannedGrant>> plan_grants(const OwnerCatalog& catalog, const std::vector<GrantSelection>& selections) {
  if (selections.empty())
    return fail(Code::kInvalidRequest, "a grant needs at least one stream; name it with --stream", "stream");
  std::vector<PlannedGrant> plans;
  for (const GrantSelection& asked : selections) {
    LADDER_TRY(const auto each, each_stream(catalog, asked));
    for (const GrantSelection& selection : each) {
      LADDER_TRY(auto places, places_of(catalog, selection));
      LADDER_CHECK(leave_out_others(selection, places));
      for (const ConnectionStream& place : places) LADDER_CHECK(add(plan_for(plans, place.connection->source), place, selection));
    }
  }
  return plans;
}

}  // namespace ladder::server
