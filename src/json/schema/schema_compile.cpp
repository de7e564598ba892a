// Compiles a JSON Schema to nodes. Subschemas are compiled from a queue and identified by their position in the
// document, so that neither deep nor circular schemas recurse here.
#include "base/text/percent.h"
#include "json/scan/pointer.h"
#include "json/schema/schema_program.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::json::schema {
namespace {

using Tree = boost::json::value;

// A longer chain of $ref is a loop or unreasonable.
constexpr std::size_t kMaxReferenceChain = 32;

// Keywords that never reject a value.
bool is_annotation(std::string_view keyword) {
  constexpr std::array<std::string_view, 11> kAnnotations = {"title",    "description", "default",         "examples",
                                                             "$schema",  "$id",         "$comment",        "deprecated",
                                                             "readOnly", "writeOnly",   "contentMediaType"};
  return keyword.starts_with("x_") || keyword.starts_with("x-") ||
         std::find(kAnnotations.begin(), kAnnotations.end(), keyword) != kAnnotations.end();
}

// A subschema, its pointer in the document, and the pointer that "#" refers to there: the nearest enclosing schema with
// its own $id, else the root.
struct Subschema {
  const Tree* schema = nullptr;
  std::string pointer;
  std::string base;
};

std::string below(std::string pointer, std::string_view token) {
  append_token(pointer, token);
  return pointer;
}

bool has_own_id(const Tree& schema) {
  const auto* object = schema.if_object();
  const auto* id = object != nullptr ? object->if_contains("$id") : nullptr;
  return id != nullptr && id->is_string() && !std::string_view(id->get_string()).starts_with('#');
}

const Tree* step_down(const Tree& from, const std::string& token) {
  if (const auto* object = from.if_object()) return object->if_contains(token);
  const auto* array = from.if_array();
  const auto index = array_index(token);
  return array != nullptr && index && *index < array->size() ? &(*array)[*index] : nullptr;
}

class Compiler {
 public:
  explicit Compiler(const Tree& root) : root_(root) {}
  Result<Program> run();

 private:
  NodeIndex enqueue(Subschema subschema);
  Result<Node> compile(const Subschema& subschema);
  Status read_keyword(Node& node, const Subschema& subschema, std::string_view keyword, const Tree& value);
  Result<bool> read_applicator(Node& node, const Subschema& subschema, std::string_view keyword, const Tree& value);
  Status read_properties(Node& node, const Subschema& subschema, const std::string& pointer, const Tree& value);
  Status read_definitions(const Subschema& subschema, const std::string& pointer, const Tree& value);
  bool read_items(Node& node, const Subschema& subschema, const std::string& pointer, const Tree& value);
  Result<NodeIndex> read_reference(const Subschema& subschema, const std::string& pointer, const Tree& value);
  Status link();

  const Tree& root_;
  std::vector<Subschema> subschemas_;  // by node; those from program_.nodes.size() on are not yet compiled
  std::map<std::string, NodeIndex, std::less<>> by_pointer_;
  Program program_;
};

NodeIndex Compiler::enqueue(Subschema subschema) {
  const auto [found, added] = by_pointer_.try_emplace(subschema.pointer, static_cast<NodeIndex>(subschemas_.size()));
  if (added) {
    if (has_own_id(*subschema.schema)) subschema.base = subschema.pointer;
    subschemas_.push_back(std::move(subschema));
  }
  return found->second;
}

Result<Program> Compiler::run() {
  enqueue(Subschema{&root_, "", ""});
  while (program_.nodes.size() < subschemas_.size()) {
    const Subschema subschema = subschemas_[program_.nodes.size()];  // a copy: compiling adds subschemas
    LADDER_TRY(auto node, compile(subschema));
    program_.nodes.push_back(std::move(node));
  }
  LADDER_CHECK(link());
  std::sort(program_.unenforced.begin(), program_.unenforced.end());
  return std::move(program_);
}

Result<Node> Compiler::compile(const Subschema& subschema) {
  Node node;
  if (const auto* truth = subschema.schema->if_bool()) {
    node.never = !*truth;
    return node;
  }
  const auto* object = subschema.schema->if_object();
  if (object == nullptr) return refuse(subschema.pointer, "a schema is an object, true or false");
  for (const auto& member : *object) LADDER_CHECK(read_keyword(node, subschema, member.key(), member.value()));
  for (auto& [name, known] : node.known) {
    if (!known.required) continue;
    known.required_index = node.required.size();
    node.required.push_back(name);
  }
  return node;
}

Status Compiler::read_keyword(Node& node, const Subschema& subschema, std::string_view keyword, const Tree& value) {
  const std::string pointer = below(subschema.pointer, keyword);
  LADDER_TRY(const bool asserts, read_assertion(node, pointer, keyword, value));
  if (asserts) return {};
  LADDER_TRY(const bool applies, read_applicator(node, subschema, keyword, value));
  if (!applies && !is_annotation(keyword)) program_.unenforced.push_back(pointer);
  return {};
}

// Reads a keyword with subschemas into the node; returns false if it is not an enforced one.
Result<bool> Compiler::read_applicator(Node& node, const Subschema& subschema, std::string_view keyword, const Tree& value) {
  const std::string pointer = below(subschema.pointer, keyword);
  if (keyword == "properties") {
    LADDER_CHECK(read_properties(node, subschema, pointer, value));
    return true;
  }
  if (keyword == "$defs" || keyword == "definitions") {
    LADDER_CHECK(read_definitions(subschema, pointer, value));
    return true;
  }
  if (keyword == "$ref") {
    LADDER_TRY(node.reference, read_reference(subschema, pointer, value));
    return true;
  }
  if (keyword == "items") return read_items(node, subschema, pointer, value);
  // A name that matches patternProperties is not additional. Patterns are not enforced, so neither is this.
  if (keyword != "additionalProperties" || subschema.schema->get_object().contains("patternProperties")) return false;
  node.additional = enqueue(Subschema{&value, pointer, subschema.base});
  return true;
}

Status Compiler::read_properties(Node& node, const Subschema& subschema, const std::string& pointer, const Tree& value) {
  const auto* members = value.if_object();
  if (members == nullptr) return refuse(pointer, "properties is an object of schemas");
  for (const auto& member : *members) {
    const auto index = enqueue(Subschema{&member.value(), below(pointer, member.key()), subschema.base});
    node.known[std::string(member.key())].node = index;
  }
  return {};
}

// Compiles definitions whether used or not, so that errors are found when the schema is declared.
Status Compiler::read_definitions(const Subschema& subschema, const std::string& pointer, const Tree& value) {
  const auto* members = value.if_object();
  if (members == nullptr) return refuse(pointer, "definitions are an object of schemas");
  for (const auto& member : *members) enqueue(Subschema{&member.value(), below(pointer, member.key()), subschema.base});
  return {};
}

// An array here is the tuple form of older drafts, which is not enforced.
bool Compiler::read_items(Node& node, const Subschema& subschema, const std::string& pointer, const Tree& value) {
  if (value.is_array()) return false;
  const auto* prefix = subschema.schema->get_object().if_contains("prefixItems");
  if (prefix != nullptr && prefix->is_array()) node.items_from = prefix->get_array().size();
  node.items = enqueue(Subschema{&value, pointer, subschema.base});
  return true;
}

Result<NodeIndex> Compiler::read_reference(const Subschema& subschema, const std::string& pointer, const Tree& value) {
  const auto* text = value.if_string();
  if (text == nullptr) return refuse(pointer, "$ref is a string");
  const std::string_view reference(*text);
  if (!reference.starts_with('#')) return refuse(pointer, "$ref points outside the document; only # and #/… are followed");
  const auto fragment = percent_decode_bytes(reference.substr(1));
  if (!fragment || (!fragment->empty() && fragment->front() != '/')) {
    return refuse(pointer, "$ref is not # followed by a JSON Pointer");
  }
  const auto tokens = parse_pointer(subschema.base + *fragment);
  if (!tokens) return refuse(pointer, tokens.error().message);
  Subschema target{&root_, "", ""};
  for (const std::string& token : *tokens) {
    target.schema = step_down(*target.schema, token);
    if (target.schema == nullptr) return refuse(pointer, "the target of $ref does not exist in the document");
    append_token(target.pointer, token);
    if (has_own_id(*target.schema)) target.base = target.pointer;
  }
  return enqueue(std::move(target));
}

// Precomputes each node's chain of references for validation.
Status Compiler::link() {
  auto& nodes = program_.nodes;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    std::optional<NodeIndex> next = static_cast<NodeIndex>(at);
    for (; next; next = nodes[*next].reference) {
      if (nodes[at].applies.size() == kMaxReferenceChain) {
        return refuse(below(subschemas_[at].pointer, "$ref"), "the chain of $ref never ends, or is too long");
      }
      nodes[at].applies.push_back(*next);
    }
  }
  return {};
}

}  // namespace

Result<Program> compile(const Tree& schema) { return Compiler(schema).run(); }

}  // namespace ladder::json::schema
