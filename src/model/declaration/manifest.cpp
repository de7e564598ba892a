// Converts the owner's document to a Core declaration: a Core document is used unchanged, a connector manifest may
// embed one, or it is converted (PDPP "connector manifests"). Streams keep their positions, so that JSON pointers in
// messages match the owner's file.
#include "base/text/format.h"
#include "json/parse.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration_parts.h"
#include "model/quote.h"
#include "model/uri.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace ladder::model::parts {
namespace {

constexpr std::string_view kRegistry = "https://registry.pdpp.dev/connectors/";
constexpr std::string_view kPublisher = "https://pdpp.dev/reference-implementation";

// Removes white space outside strings; all other bytes stay.
std::string minified(std::string_view checked) {
  std::string out;
  out.reserve(checked.size());
  bool in_string = false;
  for (std::size_t at = 0; at < checked.size(); ++at) {
    const char c = checked[at];
    if (in_string && c == '\\') {
      out += c;
      out += checked[++at];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    out += c;
  }
  return out;
}

// The connector key of a first-party registry URL, with an optional trailing "/". Empty for all other URLs.
std::string_view registry_key(std::string_view id) {
  if (!id.starts_with(kRegistry)) return {};
  std::string_view key = id.substr(kRegistry.size());
  if (key.ends_with('/')) key.remove_suffix(1);
  return is_connector_key(key) ? key : std::string_view();
}

// Combines connector_id and connector_key to the absolute URI of the source.
std::string source_id(Faults& faults, ClosedObject& manifest) {
  std::string id = manifest.optional_text("connector_id");
  const std::string key = manifest.optional_text("connector_key");
  if (!key.empty() && !is_connector_key(key)) {
    faults.add("invalid_member", manifest.pointer("connector_key"),
               format("connector_key is {}; use small letters, digits, \".\", \"_\" and \"-\" only, not a URL", in_quotes(key)));
  }
  const std::string_view from_registry = registry_key(id);
  if (!id.empty() && !key.empty() && id != key && from_registry != key) {
    faults.add(
        "invalid_member", manifest.pointer("connector_id"),
        format("connector_id {} and connector_key {} disagree; make them equal or remove one", in_quotes(id), in_quotes(key)));
  }
  if (!from_registry.empty()) return std::string(kRegistry) + std::string(from_registry);
  if (id.empty() || is_connector_key(id)) return std::string(kRegistry) + (id.empty() ? key : id);
  if (!is_absolute_uri(id)) {
    faults.add("invalid_member", manifest.pointer("connector_id"),
               format("connector_id is {}; write a connector key such as \"gmail\" or an absolute URI", in_quotes(id)));
  }
  return id;
}

void copy(const boost::json::object& from, boost::json::object& to, std::string_view name, std::string_view new_name) {
  if (const boost::json::value* value = from.if_contains(boost::json::string_view(name.data(), name.size()))) {
    to[boost::json::string_view(new_name.data(), new_name.size())] = *value;
  }
}

// Converts members that a manifest writes more loosely than a Core declaration, or in another place.
boost::json::value core_stream(const boost::json::value& stream) {
  const boost::json::object* from = stream.if_object();
  if (from == nullptr) return stream;  // the shape reader reports the fault
  constexpr std::array<std::string_view, 6> kExtras = {"incremental",    "coverage_strategy",  "state_stream",
                                                       "parent_streams", "freshness_strategy", "availability"};
  boost::json::object to;
  for (const auto& member : *from) {
    if (std::ranges::find(kExtras, std::string_view(member.key().data(), member.key().size())) == kExtras.end()) {
      to[member.key()] = member.value();
    }
  }
  if (boost::json::value* key = to.if_contains("primary_key"); key != nullptr && key->is_string()) {
    const boost::json::value name = *key;
    boost::json::array one;
    one.push_back(name);
    *key = std::move(one);
  }
  if (boost::json::value* semantics = to.if_contains("semantics"); semantics != nullptr && *semantics == "append") {
    *semantics = "append_only";
  }
  if (!to.contains("selection")) to["selection"] = boost::json::object();
  if (boost::json::object* selection = to["selection"].if_object()) {
    for (const std::string_view part : {"fields", "resources"}) {
      const boost::json::string_view name(part.data(), part.size());
      if (!selection->contains(name)) (*selection)[name] = true;
    }
  }
  return to;
}

Result<boost::json::value> project(const boost::json::value& document) {
  Faults faults(Code::kConnectorInvalid, kFamily);
  ClosedObject manifest(
      faults, &document, "",
      {"protocol_version", "connector_id", "connector_key", "manifest_uri", "version", "display_name", "streams", "profiles",
       "source_declaration", "runtime_requirements", "capabilities", "setup", "sensitivity", "icon"});
  const std::string id = source_id(faults, manifest);
  const std::string version = manifest.text("version");
  const std::string name = manifest.text("display_name");
  LADDER_CHECK(faults.status());

  const boost::json::object& from = document.get_object();
  boost::json::object core;
  core["protocol_version"] = "0.1.0";
  copy(from, core, "protocol_version", "protocol_version");
  core["source"] = boost::json::object{{"kind", "connector"}, {"id", id}};
  core["declaration_version"] = version;
  core["publisher"] = boost::json::object{{"id", boost::json::string_view(kPublisher.data(), kPublisher.size())}};
  core["display"] = boost::json::object{{"name", name}};
  copy(from, core, "profiles", "selection_presets");
  copy(from, core, "streams", "streams");
  if (boost::json::value* streams = core.if_contains("streams"); streams != nullptr && streams->is_array()) {
    for (boost::json::value& stream : streams->get_array()) stream = core_stream(stream);
  }
  return boost::json::value(std::move(core));
}

}  // namespace

Result<CoreDocument> core_document(boost::json::value document, std::string_view checked_text) {
  const boost::json::object* object = document.if_object();
  if (object == nullptr ||
      !(object->contains("source_declaration") || object->contains("connector_id") || object->contains("connector_key"))) {
    return CoreDocument{std::move(document), minified(checked_text), ""};
  }
  Faults faults(Code::kConnectorInvalid, kFamily);
  for (const std::string_view refused : {"provider_id", "storage_binding"}) {
    if (!object->contains(boost::json::string_view(refused.data(), refused.size()))) continue;
    faults.add("unknown_member", child_pointer("", refused),
               format("\"{}\" is not allowed in a connector manifest; remove it", refused));
  }
  LADDER_CHECK(faults.status());
  if (const boost::json::value* embedded = object->if_contains("source_declaration")) {
    const auto place = json::member(json::value_of(checked_text).text, "source_declaration");
    return CoreDocument{*embedded, minified(place ? place->text : std::string_view()), "/source_declaration"};
  }
  LADDER_TRY(boost::json::value core, project(document));
  std::string text = boost::json::serialize(core);
  return CoreDocument{std::move(core), std::move(text), ""};
}

}  // namespace ladder::model::parts
