#include "server/search/search_plan.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "model/quote.h"
#include "server/read/access_path.h"
#include "store/index/order_key.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>

namespace ladder::server {
namespace {

using model::in_quotes;

constexpr std::size_t kMaxSkipWarnings = 20;  // connections listed in warnings; the rest are counted

api::Warning skipped_warning(const std::string& connection_id, const std::vector<const SearchStream*>& places) {
  json::Writer detail;
  detail.begin_object().member("source", places.front()->stream().connection->source->row.source_id);
  detail.member("connection_id", connection_id).key("streams").begin_array();
  std::string names;
  for (const SearchStream* place : places) {
    const std::string& name = place->stream().declared->name;
    detail.string(name);
    names += (names.empty() ? "" : ", ") + in_quotes(name);
  }
  detail.end_array().end_object();
  const std::string_view why = places.front()->applies ? "no searchable field that you may read"
                                                       : "no searchable field that you may read, or none to filter by";
  return {"source_skipped_not_applicable", format("not searched in connection {}: {} ({})", in_quotes(connection_id), names, why),
          "streams", detail.take()};
}

}  // namespace

SearchPlan::SearchPlan(SearchScope read_scope, std::shared_ptr<const OwnerCatalog> catalog,
                       const std::set<const HeldGrant*>* live_grants)
    : catalog_(std::move(catalog)), read_scope_(std::move(read_scope)) {
  auto& all = read_scope_.streams;
  if (live_grants) {
    std::erase_if(all, [&](const SearchStream& place) {
      return place.read_scope.held && !live_grants->contains(place.read_scope.held.get());
    });
  }
  const auto same = [](const SearchStream& a, const SearchStream& b) { return a.scope.stream == b.scope.stream; };
  all.erase(std::ranges::unique(all, same).begin(), all.end());

  std::set<const ConnectionEntry*> connections;
  for (const SearchStream& place : all) {
    if (place.applies && place.pending) ++pending_;
    if (!place.is_searched()) continue;
    places_.push_back(&place);
    scopes_.push_back(place.scope);
    connections.insert(place.stream().connection);
  }
  connections_ = std::ssize(connections);
  warn_of_skipped();
}

std::shared_ptr<const SearchPlan> SearchPlan::under(const std::set<const HeldGrant*>& live_grants) const {
  return std::make_shared<const SearchPlan>(read_scope_, catalog_, &live_grants);
}

void SearchPlan::warn_of_skipped() {
  std::map<std::string, std::vector<const SearchStream*>> skipped;  // by connection
  for (const SearchStream& place : read_scope_.streams) {
    if (place.is_searched() || (place.applies && place.pending)) continue;
    skipped[place.stream().connection->row.connection_id].push_back(&place);
  }
  for (const auto& [connection_id, places] : skipped) {
    if (warnings_.size() == kMaxSkipWarnings) {
      warnings_.push_back({"source_skipped_not_applicable",
                           format("{} more connections have streams that were not searched", skipped.size() - kMaxSkipWarnings),
                           "streams",
                           {}});
      return;
    }
    warnings_.push_back(skipped_warning(connection_id, places));
  }
}

Result<std::shared_ptr<const SearchPlan>> SearchPlans::plan(const Access& access, const OwnerCatalog& catalog,
                                                            const api::SearchRequest& request) {
  const bool of_everything =
      request.streams.empty() && request.scope.connection_id.empty() && request.connections.empty() && request.filters.empty();
  Key key{access.owner(), access.is_owner(), {}};
  for (const auto& held : access.grants()) key.grants.push_back(held->no);
  if (of_everything) {
    if (auto known = find(key, catalog)) return known;
  }
  LADDER_TRY(SearchScope read_scope, search_scope(access, catalog, request));
  auto made = std::make_shared<const SearchPlan>(std::move(read_scope), catalog.shared_from_this(), nullptr);
  if (of_everything) keep(std::move(key), made);
  return made;
}

std::shared_ptr<const SearchPlan> SearchPlans::find(const Key& key, const OwnerCatalog& catalog) {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(key);
  return found != kept_.end() && &found->second->catalog() == &catalog ? found->second : nullptr;
}

void SearchPlans::keep(Key key, const std::shared_ptr<const SearchPlan>& plan) {
  const MutexLock lock(mutex_);
  // Plans of older catalog versions are useless.
  std::erase_if(kept_,
                [&](const auto& kept) { return kept.first.owner == key.owner && &kept.second->catalog() != &plan->catalog(); });
  std::size_t places = plan->size();
  for (const auto& kept : kept_) places += kept.second->size();
  if (places > kMaxPlaces) kept_.clear();
  kept_[std::move(key)] = plan;
}

namespace {

// Roles that declare a field as the record's title (PDPP "connector manifests", design D22).
constexpr std::array<std::string_view, 2> kTitleRoles = {"primary-title", "title"};

// Roles that declare a field as context of the record's group (design D24).
constexpr std::string_view kContextRole = "context", kAuthorRole = "actor", kRecipientRole = "recipient", kBulkRole = "bulk",
                           kAttachmentsRole = "attachments";

bool asks_for(const api::SearchRequest& request, const std::string& stream) {
  return request.streams.empty() || std::ranges::find(request.streams, stream) != request.streams.end();
}

bool asks_for_connection(const api::SearchRequest& request, const std::string& id) {
  return request.connections.empty() || std::ranges::find(request.connections, id) != request.connections.end();
}

bool is_title(const model::Field& field) { return std::ranges::find(kTitleRoles, field.role) != kTitleRoles.end(); }

// Returns the index interval of records that have a consent time.
std::optional<store::IndexInterval> time_order(const ConnectionStream& place) {
  const std::string& time_field = place.declared->consent_time_field;
  if (time_field == place.declared->cursor_field) {
    const store::IndexRange range = store::order_keys_of(store::IndexKind::kTime);
    return store::IndexInterval{.index = 0, .from = range.from, .to = range.to};
  }
  const FieldIndex* const index = place.index(time_field);
  if (!index || index->kind != store::IndexKind::kTime) return std::nullopt;
  return store::IndexInterval{.index = index->no, .from = {}, .to = {}};
}

// Identifies everything of a stream that reading_of() depends on.
std::uint64_t reading_key_of(const SearchStream& place) {
  Checksum sum;
  for (const store::WordColumn& column : place.columns) sum.add(column.column).add(column.field);
  sum.add(place.scope.context).add(place.scope.copies).add(place.group.label);
  for (const std::string& field : place.group.fields) sum.add(field);
  sum.add(place.bulk_field);
  return std::max<std::uint64_t>(sum.value(), 1);
}

// Collects the searchable fields of a stream, and the grant's restrictions on its records.
SearchStream make_stream(ReadScope read_scope) {
  SearchStream made;
  made.read_scope = std::move(read_scope);
  const ConnectionStream& place = made.stream();
  const model::Stream& declared = *place.declared;
  const grant::StreamGrant* granted = made.read_scope.granted;
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
    const auto bit = text::WordColumns{1} << found->second.column;
    made.columns.push_back({found->second.column, name});
    made.scope.columns |= bit;
    const model::Field* const field = declared.field(name);
    if (field && is_title(*field)) made.scope.strong |= bit;
    if (field && field->role == kContextRole) made.scope.context |= bit;
    if (field && field->identifies_copies) made.scope.copies |= bit;
  }
  made.group = group_rule(place.connection->source->declaration, declared, granted);
  made.scope.grouped = made.group.any();
  const auto granted_field = [&](std::string_view role) {
    const auto field = std::ranges::find(declared.fields, role, &model::Field::role);
    return field != declared.fields.end() && allows(field->name) ? field->name : std::string();
  };
  made.bulk_field = granted_field(kBulkRole);
  made.attachments_field = granted_field(kAttachmentsRole);
  made.scope.has_bulk_flag = !made.bulk_field.empty();
  made.scope.reading_key = reading_key_of(made);
  const std::string& time_field = declared.consent_time_field;
  made.scope.timed = !time_field.empty() && allows(time_field);
  if (made.scope.timed) made.scope.interval = time_order(place);
  if (!granted) return made;
  if (granted->time && granted->time->field == time_field) {
    made.scope.since = granted->time->since;
    made.scope.until = granted->time->until;
  }
  const AccessPath where = choose_access_path(place, granted, RecordFilter{});
  if (where.by == AccessPath::By::kKeys) {
    made.scope.keys = granted->resources;
  } else if (made.scope.since || made.scope.until) {
    made.scope.interval.reset();
    if (where.exact && where.by != AccessPath::By::kAll) {
      made.scope.interval = {.index = where.index, .from = where.range.from, .to = where.range.to};
    }
  }
  made.scope.checked = !granted->resources.empty() || (granted->time && granted->time->field != time_field);
  return made;
}

Result<std::vector<SearchStream>> client_streams(const Access& access, const OwnerCatalog& catalog,
                                                 const api::SearchRequest& request) {
  const std::string& connection_id = request.scope.connection_id;
  for (const std::string& stream : request.streams) {
    if (std::ranges::any_of(access.grants(), [&](const auto& held) { return held->grant.stream(stream) != nullptr; })) continue;
    return fail(Code::kStreamNotAllowed, format("the grant does not cover a stream \"{}\"; schema lists what it covers", stream),
                "streams");
  }
  std::vector<SearchStream> places;
  bool connection_granted = connection_id.empty();
  for (const auto& held : access.grants()) {
    for (const grant::StreamGrant& granted : held->grant.streams) {
      if (!asks_for(request, granted.name)) continue;
      for (const std::string& id : granted.instance_ids) {
        if (!connection_id.empty() && id != connection_id) continue;
        connection_granted = true;
        if (!asks_for_connection(request, id)) continue;
        const ConnectionEntry* connection = catalog.connection(id);
        if (!connection || connection->source->row.source_id != held->grant.source_id) continue;  // erased since
        if (auto place = catalog.find_stream(*connection, granted.name))
          places.push_back(make_stream({held, &granted, {*place}}));
      }
    }
  }
  if (!connection_granted) {
    return fail(Code::kConnectionNotFound, format("there is no connection \"{}\" that you may read", connection_id),
                "connection_id");
  }
  return places;
}

Result<std::vector<SearchStream>> owner_streams(const OwnerCatalog& catalog, const api::SearchRequest& request) {
  const std::string& connection_id = request.scope.connection_id;
  if (!connection_id.empty()) {
    const ConnectionEntry* const named = catalog.connection(connection_id);
    if (!named) {
      return fail(Code::kConnectionNotFound,
                  format("there is no connection \"{}\"; `ladder connection list` shows them", connection_id), "connection_id");
    }
    LADDER_CHECK(check_not_erasing(*named, Code::kConnectionNotFound));
  }
  std::vector<SearchStream> places;
  for (const auto& connection : catalog.connections()) {
    const bool meant =
        connection_id.empty() ? connection->row.status == "active" : connection->row.connection_id == connection_id;
    if (!meant || !asks_for_connection(request, connection->row.connection_id)) continue;
    for (const model::Stream& declared : connection->source->declaration.streams) {
      if (!asks_for(request, declared.name)) continue;
      if (auto place = catalog.find_stream(*connection, declared.name))
        places.push_back(make_stream({nullptr, nullptr, {*place}}));
    }
  }
  return places;
}

// Sources may share a stream name with different fields. Streams that the filters don't fit are skipped; if they fit
// none, the first error is returned.
Status compile_filters(std::vector<SearchStream>& places, const std::vector<api::Filter>& filters) {
  if (filters.empty() || places.empty()) return {};
  std::optional<Error> first;
  bool any = false;
  for (SearchStream& place : places) {
    auto compiled = RecordFilter::compile(*place.stream().declared, place.read_scope.granted, filters);
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

auto order_of(const SearchStream& place) {
  return std::tie(place.stream().connection->row.connection_id, place.stream().declared->name);
}

}  // namespace

bool SearchStream::is_named(std::string_view name, const std::string& field) const {
  if (name == field) return true;
  const std::string_view role = name == text::kFromOperator ? kAuthorRole : name == text::kToOperator ? kRecipientRole : "";
  const model::Field* const declared = stream().declared->field(field);
  return !role.empty() && declared != nullptr && declared->role == role;
}

bool SearchStream::is_in(std::string_view name) const {
  const ConnectionEntry& connection = *stream().connection;
  return name == stream().declared->name || name == connection.row.connection_id || name == connection.source->row.key;
}

// A record has attachments if the field is a positive number, true, or a non-empty list or text.
bool SearchStream::has_attachments(const store::RecordRow& record) const {
  if (attachments_field.empty()) return false;
  const auto value = json::member(record.body, attachments_field);
  constexpr std::array<std::string_view, 6> kNone = {"0", "false", "null", "[]", "{}", "\"\""};
  return value && std::ranges::find(kNone, value->text) == kNone.end();
}

bool SearchStream::accepts(const store::RecordRow& record) const {
  return is_visible(read_scope, record) && (filter.empty() || filter.matches(json::value_of(record.body)));
}

Result<SearchScope> search_scope(const Access& access, const OwnerCatalog& catalog, const api::SearchRequest& request) {
  SearchScope reached;
  LADDER_TRY(reached.streams, access.is_owner() ? owner_streams(catalog, request) : client_streams(access, catalog, request));
  LADDER_CHECK(compile_filters(reached.streams, request.filters));
  for (const auto& held : access.grants()) {
    const bool used = std::ranges::any_of(held->grant.streams, [&](const grant::StreamGrant& granted) {
      const std::string& connection_id = request.scope.connection_id;
      return asks_for(request, granted.name) && (connection_id.empty() || granted.allows_instance(connection_id));
    });
    if (used) reached.grants.push_back(held);
  }
  std::ranges::stable_sort(reached.streams,
                           [](const SearchStream& a, const SearchStream& b) { return order_of(a) < order_of(b); });
  return reached;
}

}  // namespace ladder::server
