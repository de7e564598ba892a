#include "grant/named_fields.h"

#include "base/limits.h"
#include "json/parse.h"
#include "json/writer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <optional>

namespace ladder::grant {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kNamesDepth = 3;

bool contains(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

const model::Stream* stream_of(const model::SourceDeclaration* declaration, std::string_view name) {
  return declaration == nullptr ? nullptr : declaration->stream(name);
}

bool is_required(const model::Stream* stream, std::string_view field) {
  const model::Field* declared = stream == nullptr ? nullptr : stream->field(field);
  return declared != nullptr && declared->required;
}

// The stored names for the stream; nullopt if there are none or they are unreadable.
std::optional<Names> kept_names(const boost::json::object* kept, std::string_view stream) {
  const boost::json::value* value = kept == nullptr ? nullptr : kept->if_contains({stream.data(), stream.size()});
  const boost::json::array* names = value == nullptr ? nullptr : value->if_array();
  if (names == nullptr) return std::nullopt;
  Names out;
  for (const boost::json::value& name : *names) {
    if (!name.is_string()) return std::nullopt;
    out.emplace_back(name.get_string().data(), name.get_string().size());
  }
  return out;
}

// Sorted declared fields: this order can only result from granting every field.
bool is_everything(const Names& fields, const model::Stream& declared) {
  Names all;
  for (const model::Field& field : declared.fields) all.push_back(field.name);
  std::ranges::sort(all);
  return fields == all;
}

// The shortest prefix of the fields whose missing required fields, in declared order, are exactly the rest.
Names names_by_order(const Names& fields, const model::Stream& declared) {
  for (std::size_t count = 1; count < fields.size(); ++count) {
    const Names front(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(count));
    Names appended;
    for (const model::Field& field : declared.fields) {
      if (field.required && !contains(front, field.name)) appended.push_back(field.name);
    }
    if (std::equal(fields.begin() + static_cast<std::ptrdiff_t>(count), fields.end(), appended.begin(), appended.end()))
      return front;
  }
  return fields;
}

FieldOrigin origin_of(const StreamGrant& stream, const boost::json::object* kept, const model::Stream* then,
                      const model::Stream* now) {
  FieldOrigin out;
  out.stream = stream.name;
  Names named = stream.fields;
  if (const auto names = kept_names(kept, stream.name)) {
    out.all = names->empty();
    if (!out.all) named = *names;
  } else if (then != nullptr) {
    out.all = is_everything(stream.fields, *then);
    if (!out.all) named = names_by_order(stream.fields, *then);
  }
  for (const std::string& field : stream.fields) {
    if (contains(named, field)) {
      out.named.push_back(field);
      continue;
    }
    out.added.push_back(field);
    if (then != nullptr && contains(then->primary_key, field)) continue;
    out.content.push_back(field);
    if (is_required(now, field)) out.still_required.push_back(field);
  }
  return out;
}

}  // namespace

bool FieldOrigin::is_added(std::string_view field) const { return contains(added, field); }

std::string named_fields_json(const Grant& grant, const Selection& selection) {
  json::Writer out;
  out.begin_object();
  for (const StreamGrant& stream : grant.streams) {
    const auto asked = std::ranges::find_if(
        selection.streams, [&](const StreamSelection& selected) { return selected.name == stream.name || selected.name == "*"; });
    out.key(stream.name).begin_array();
    if (asked != selection.streams.end()) {
      for (const std::string& field : asked->fields) out.string(field);
    }
    out.end_array();
  }
  return out.end_object().take();
}

std::vector<FieldOrigin> field_origins(const Grant& grant, std::string_view named_json, const model::SourceDeclaration* then,
                                       const model::SourceDeclaration* now) {
  const auto tree = json::parse(named_json, limits::kMaxDeclarationBytes, kNamesDepth);
  const boost::json::object* kept = tree ? tree->if_object() : nullptr;
  std::vector<FieldOrigin> out;
  out.reserve(grant.streams.size());
  for (const StreamGrant& stream : grant.streams) {
    out.push_back(origin_of(stream, kept, stream_of(then, stream.name), stream_of(now, stream.name)));
  }
  return out;
}

}  // namespace ladder::grant
