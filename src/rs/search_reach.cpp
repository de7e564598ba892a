#include "rs/search_reach.h"

#include "base/format.h"
#include "rs/narrowing.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace ladder::rs {
namespace {

// How a declaration says that a field is its record's title (contract 2.3, design D22).
constexpr std::array<std::string_view, 2> kTitleRoles = {"primary-title", "title"};

// And how it says that a field tells of what the record is part of (design D24).
constexpr std::string_view kContextRole = "context";

bool asks_for(const port::SearchRequest& request, const std::string& stream) {
  return request.streams.empty() || std::ranges::find(request.streams, stream) != request.streams.end();
}

bool is_title(const model::Field& field) { return std::ranges::find(kTitleRoles, field.role) != kTitleRoles.end(); }

// The fields of the place whose words count, and what the grant says about its records.
SearchPlace make_place(Reach reach) {
  SearchPlace made;
  made.reach = std::move(reach);
  const StreamPlace& place = made.place();
  const model::Stream& declared = *place.declared;
  const grant::StreamGrant* granted = made.reach.granted;
  const auto allows = [&](std::string_view field) { return !granted || granted->allows_field(field); };
  const WordFields& fields = place.word_fields();
  made.scope.stream = place.no;
  for (const std::string& name : declared.lexical_fields) {
    if (!allows(name)) continue;
    const auto found = fields.find(name);
    if (found == fields.end() || !found->second.ready) {
      made.pending = true;
      continue;
    }
    const auto bit = store::WordColumns{1} << found->second.column;
    made.columns.push_back({found->second.column, name});
    made.scope.columns |= bit;
    const model::Field* const field = declared.field(name);
    if (field && is_title(*field)) made.scope.strong |= bit;
    if (field && field->role == kContextRole) made.scope.context |= bit;
  }
  const std::string& time_field = declared.consent_time_field;
  made.scope.timed = !time_field.empty() && allows(time_field);
  if (!granted) return made;
  if (granted->time && granted->time->field == time_field) {
    made.scope.since = granted->time->since;
    made.scope.until = granted->time->until;
  }
  const Narrowing where = narrow(place, granted, RecordFilter{});
  if (where.by == Narrowing::By::kKeys) {
    made.scope.keys = granted->resources;
  } else if ((made.scope.since || made.scope.until) && where.exact && where.by != Narrowing::By::kAll) {
    made.scope.stretch = {.index = where.index, .from = where.range.from, .to = where.range.to};
  }
  made.scope.checked = !granted->resources.empty() || (granted->time && granted->time->field != time_field);
  return made;
}

Result<std::vector<SearchPlace>> client_places(const Access& access, const OwnerCatalog& catalog,
                                               const port::SearchRequest& request) {
  const std::string& connection_id = request.scope.connection_id;
  for (const std::string& stream : request.streams) {
    if (std::ranges::any_of(access.grants(), [&](const auto& held) { return held->grant.stream(stream) != nullptr; })) continue;
    return fail(Code::kStreamNotAllowed, format("the grant does not cover a stream \"{}\"; schema lists what it covers", stream),
                "streams");
  }
  std::vector<SearchPlace> places;
  bool connection_granted = connection_id.empty();
  for (const auto& held : access.grants()) {
    for (const grant::StreamGrant& granted : held->grant.streams) {
      if (!asks_for(request, granted.name)) continue;
      for (const std::string& id : granted.instance_ids) {
        if (!connection_id.empty() && id != connection_id) continue;
        connection_granted = true;
        const ConnectionEntry* connection = catalog.connection(id);
        if (!connection || connection->source->row.source_id != held->grant.source_id) continue;  // erased since
        if (auto place = catalog.place(*connection, granted.name)) places.push_back(make_place({held, &granted, {*place}}));
      }
    }
  }
  if (!connection_granted) {
    return fail(Code::kConnectionNotFound, format("there is no connection \"{}\" that you may read", connection_id),
                "connection_id");
  }
  return places;
}

Result<std::vector<SearchPlace>> owner_places(const OwnerCatalog& catalog, const port::SearchRequest& request) {
  const std::string& connection_id = request.scope.connection_id;
  if (!connection_id.empty() && !catalog.connection(connection_id)) {
    return fail(Code::kConnectionNotFound,
                format("there is no connection \"{}\"; `ladder connection list` shows them", connection_id), "connection_id");
  }
  std::vector<SearchPlace> places;
  for (const auto& connection : catalog.connections()) {
    const bool meant =
        connection_id.empty() ? connection->row.status == "active" : connection->row.connection_id == connection_id;
    if (!meant) continue;
    for (const model::Stream& declared : connection->source->declaration.streams) {
      if (!asks_for(request, declared.name)) continue;
      if (auto place = catalog.place(*connection, declared.name)) places.push_back(make_place({nullptr, nullptr, {*place}}));
    }
  }
  return places;
}

// Sources may share a stream's name and differ in its fields: those that the conditions do not fit are passed over. If they fit
// none, that is the answer.
Status compile_filters(std::vector<SearchPlace>& places, const std::vector<port::Filter>& filters) {
  if (filters.empty() || places.empty()) return {};
  std::optional<Error> first;
  bool any = false;
  for (SearchPlace& place : places) {
    auto compiled = RecordFilter::compile(*place.place().declared, place.reach.granted, filters);
    place.applies = compiled.has_value();
    if (!compiled) {
      if (!first) first = std::move(compiled).error();
      continue;
    }
    any = true;
    place.filter = *std::move(compiled);
    place.scope.checked = true;
  }
  if (!any) return std::unexpected(*std::move(first));
  return {};
}

auto order_of(const SearchPlace& place) {
  return std::tie(place.place().connection->row.connection_id, place.place().declared->name);
}

}  // namespace

bool SearchPlace::accepts(const store::RecordRow& record) const {
  return is_visible(reach, record) && (filter.empty() || filter.matches(json::value_of(record.body)));
}

Result<SearchReach> search_reach(const Access& access, const OwnerCatalog& catalog, const port::SearchRequest& request) {
  SearchReach reached;
  LADDER_TRY(reached.places, access.is_owner() ? owner_places(catalog, request) : client_places(access, catalog, request));
  LADDER_CHECK(compile_filters(reached.places, request.filters));
  for (const auto& held : access.grants()) {
    const bool used = std::ranges::any_of(held->grant.streams, [&](const grant::StreamGrant& granted) {
      const std::string& connection_id = request.scope.connection_id;
      return asks_for(request, granted.name) && (connection_id.empty() || granted.allows_instance(connection_id));
    });
    if (used) reached.grants.push_back(held);
  }
  std::ranges::stable_sort(reached.places, [](const SearchPlace& a, const SearchPlace& b) { return order_of(a) < order_of(b); });
  return reached;
}

}  // namespace ladder::rs
