#include "server/read/expansion.h"

#include "base/text/format.h"
#include "model/record_id.h"
#include "server/read/list_walk.h"
#include "server/read/projection.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::int64_t kDefaultChildren = 10;
constexpr std::int64_t kMaxChildren = 50;
constexpr std::int64_t kMaxScanned = 10'000;  // while the index of the foreign key is being built

std::unexpected<Error> invalid(std::string message, std::string_view param = "expand") {
  return fail(Code::kInvalidExpand, std::move(message), std::string(param));
}

Result<std::int64_t> limit_of(const model::Relationship& relation, const model::Expansion& declared,
                              const Expander::Limits& limits) {
  const auto asked = std::ranges::find(limits, relation.name, &std::pair<std::string, std::int64_t>::first);
  if (!relation.has_many) {
    if (asked != limits.end())
      return invalid(format("\"{}\" is at most one record and takes no limit", relation.name), "expand_limit");
    return 1;
  }
  const std::int64_t most = declared.max_limit.value_or(std::max(kMaxChildren, declared.default_limit.value_or(0)));
  if (asked == limits.end()) return std::min(declared.default_limit.value_or(kDefaultChildren), most);
  if (asked->second < 1 || asked->second > most) {
    return invalid(format("\"{}\" expands to 1 to {} records", relation.name, most), "expand_limit");
  }
  return asked->second;
}

// Returns the record key that a foreign key refers to. A compound key is an array of its parts, or the canonical key
// as text.
std::optional<std::string> related_key(const json::Value& value, std::size_t arity) {
  if (arity > 1 && value.kind == json::Kind::kString) return json::decode_string(json::raw_content(value));
  auto key = model::canonical_key(value, arity);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

}  // namespace

Result<Expander::Relation> Expander::relation(const Access& access, const OwnerCatalog& catalog, const ReadScope& parents,
                                              const std::string& name, const Limits& limits) {
  const model::Stream& stream = *parents.streams.front().declared;
  const auto declared = std::ranges::find(stream.expansions, name, &model::Expansion::name);
  const auto relation = std::ranges::find(stream.relationships, name, &model::Relationship::name);
  if (declared == stream.expansions.end() || relation == stream.relationships.end()) {
    return invalid(format("stream \"{}\" declares no expansion \"{}\"; schema lists what it declares", stream.name, name));
  }
  const auto out_of_scope = [&] {
    return fail(Code::kInsufficientScope, format("the grant does not cover what \"{}\" expands to", name), "expand");
  };
  Relation made;
  made.name = name;
  made.has_many = relation->has_many;
  LADDER_TRY(made.limit, limit_of(*relation, *declared, limits));
  const grant::StreamGrant* granted = parents.held ? parents.held->grant.stream(relation->stream) : nullptr;
  if (!access.is_owner() && !granted) return out_of_scope();
  for (const ConnectionStream& parent : parents.streams) {
    if (granted && !granted->allows_instance(parent.connection->row.connection_id)) continue;
    if (auto place = catalog.find_stream(*parent.connection, relation->stream)) {
      made.children.push_back({parent.no, {parents.held, granted, {*place}}});
    }
  }
  if (made.children.empty()) return made;
  const ReadScope& any = made.children.front().read_scope;
  const model::Stream& target = *any.streams.front().declared;
  made.foreign_key = relation->foreign_key;
  made.child_field = relation->has_many ? target.field(relation->foreign_key) : nullptr;
  made.key_arity = target.primary_key.size();
  const model::Stream& holder = relation->has_many ? target : stream;
  const grant::StreamGrant* const holder_grant = relation->has_many ? granted : parents.granted;
  if (!holder.field(relation->foreign_key)) {
    return invalid(format("stream \"{}\" has no field \"{}\"", holder.name, relation->foreign_key));
  }
  if (holder_grant && !holder_grant->allows_field(relation->foreign_key)) return out_of_scope();
  made.by_key = target.cursor_field.empty() || (granted && !granted->allows_field(target.cursor_field));
  LADDER_TRY(made.projection, choose_fields(any, target, {}, {}));
  return made;
}

Result<Expander> Expander::compile(const Access& access, const OwnerCatalog& catalog, const ReadScope& parents,
                                   const std::vector<std::string>& names, const Limits& limits) {
  Expander expander;
  for (const std::string& name : names) {
    if (std::ranges::find(expander.relations_, name, &Relation::name) != expander.relations_.end()) continue;
    LADDER_TRY(Relation made, relation(access, catalog, parents, name, limits));
    expander.relations_.push_back(std::move(made));
  }
  for (const auto& [name, limit] : limits) {
    if (std::ranges::find(names, name) == names.end()) {
      return invalid(format("\"{}\" has a limit but is not expanded", name), "expand_limit");
    }
  }
  return expander;
}

Result<bool> Expander::read_many(store::Reader& reader, const Relation& relation, const ReadScope& read_scope,
                                 const CutRules& rules, const store::RecordRow& parent, api::Expansion& into) {
  const auto filter = RecordFilter::equal(*relation.child_field, parent.key);
  if (!filter) return true;  // no value of that type can be the parent's key
  LADDER_TRY(auto walk, ListWalk::start(reader, read_scope, *filter, {relation.by_key, false}, relation.limit + 1, std::nullopt));
  for (std::int64_t scanned = 0;; ++scanned) {
    LADDER_TRY(const auto walked, walk.next());
    if (!walked) return true;
    if (walk.looks_at_everything() && scanned >= kMaxScanned) {
      return fail(Code::kStoreUnavailable, format("the index that \"{}\" needs is still being built; try again", relation.name));
    }
    if (!is_visible(read_scope, walked->row) || !filter->matches(json::value_of(walked->row.body))) continue;
    if (walked->row.stream == parent.stream && walked->row.key == parent.key)
      continue;  // skips self-references, which Slack threads have
    if (std::ssize(into.records) == relation.limit) {
      into.has_more = relation.has_many;
      return true;
    }
    LADDER_TRY(auto projected, project(reader, walked->row, relation.projection, rules));
    if (!projected) return false;
    into.records.push_back(to_record(read_scope, read_scope.streams.front(), walked->row, *std::move(projected)));
  }
}

// A missing record and one outside the grant are both omitted.
Result<bool> Expander::read_one(store::Reader& reader, const Relation& relation, const ReadScope& read_scope,
                                const CutRules& rules, const store::RecordRow& parent, api::Expansion& into) {
  const auto value = json::member(parent.body, relation.foreign_key);
  const auto key = value ? related_key(*value, relation.key_arity) : std::nullopt;
  if (!key) return true;
  const store::StreamNo stream = read_scope.streams.front().no;
  LADDER_TRY(const auto found, reader.records({}, {&stream, 1}, *key));
  if (found.records.empty() || !is_visible(read_scope, found.records.front())) return true;
  const store::RecordRow& row = found.records.front();
  LADDER_TRY(auto projected, project(reader, row, relation.projection, rules));
  if (!projected) return false;
  into.records.push_back(to_record(read_scope, read_scope.streams.front(), row, *std::move(projected)));
  return true;
}

Result<bool> Expander::expand(store::Reader& reader, const store::RecordRow& row, const CutRules& rules,
                              api::Record& record) const {
  for (const Relation& relation : relations_) {
    api::Expansion& into = record.expanded.emplace_back();
    into.name = relation.name;
    into.has_many = relation.has_many;
    const auto child = std::ranges::find(relation.children, row.stream, &Child::parent);
    if (child == relation.children.end()) continue;
    LADDER_TRY(const bool whole, relation.has_many ? read_many(reader, relation, child->read_scope, rules, row, into)
                                                   : read_one(reader, relation, child->read_scope, rules, row, into));
    if (!whole) return false;
  }
  return true;
}

}  // namespace ladder::server
