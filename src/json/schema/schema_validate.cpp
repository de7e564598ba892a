// One pass over checked data with the set of nodes that apply at each position. Memory is proportional to the nesting
// depth; data that no node constrains is skipped as text.
#include "base/text/format.h"
#include "json/scan/decimal.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"
#include "json/schema/schema_program.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ladder::json::schema {
namespace {

// Far beyond limits::kMaxJsonDepth, the limit for records; protects the stack from other callers.
constexpr std::size_t kMaxDepth = 512;

// The path to a value, kept on the stack and formatted only for errors.
struct Trail {
  const Trail* up = nullptr;
  std::string_view raw_name = {};  // of the member, or
  std::size_t index = 0;           // of the element
  bool is_member = false;
  std::size_t depth = 0;
};

std::string pointer_of(const Trail* trail) {
  std::vector<std::string> tokens;
  for (; trail->up != nullptr; trail = trail->up) {
    tokens.push_back(trail->is_member ? decode_string(trail->raw_name) : std::to_string(trail->index));
  }
  std::reverse(tokens.begin(), tokens.end());
  return format_pointer(tokens);
}

// The nodes that apply to a value. This is almost always the chain of one node, which is not copied.
class NodeSet {
 public:
  void add(const std::vector<NodeIndex>& chain) {
    if (nodes_.empty()) {
      nodes_ = chain;
      return;
    }
    if (merged_.empty()) merged_.assign(nodes_.begin(), nodes_.end());
    for (const NodeIndex node : chain) {
      if (std::find(merged_.begin(), merged_.end(), node) == merged_.end()) merged_.push_back(node);
    }
    nodes_ = merged_;
  }
  std::span<const NodeIndex> nodes() const { return nodes_; }

 private:
  std::span<const NodeIndex> nodes_;
  std::vector<NodeIndex> merged_;
};

Types type_of(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return kNullBit;
    case Kind::kBool:
      return kBooleanBit;
    case Kind::kString:
      return kStringBit;
    case Kind::kObject:
      return kObjectBit;
    case Kind::kArray:
      return kArrayBit;
    case Kind::kNumber:
      return Decimal(value.text).is_integer() ? kNumberBit | kIntegerBit : kNumberBit;
    case Kind::kReference:
      break;
  }
  return 0;
}

class Validator {
 public:
  Validator(const Program& program, std::string_view text) : program_(program), text_(text) {}
  std::optional<Violation> run();

 private:
  using Nodes = std::span<const NodeIndex>;

  // Each returns false after refuse(). Those with `at` start at the value's first byte and move past it.
  bool value(std::size_t& at, Nodes nodes, const Trail& trail);
  bool object(std::size_t& at, Nodes nodes, const Trail& trail);
  bool member(std::size_t& at, Nodes nodes, const Trail& trail, std::string_view raw_name, std::vector<bool>& seen);
  bool array(std::size_t& at, Nodes nodes, const Trail& trail);
  bool identity(const Node& node, std::size_t at, std::size_t end, const Trail& trail);
  bool number(const Node& node, std::string_view text, const Trail& trail);
  bool in_range(const std::optional<Range>& range, std::size_t count, std::string_view of_what, const Trail& trail);
  bool refuse(const Trail& trail, std::string message);

  const Node& node(NodeIndex index) const { return program_.nodes[index]; }

  const Program& program_;
  std::string_view text_;
  std::optional<Violation> violation_;
};

std::optional<Violation> Validator::run() {
  std::size_t at = 0;
  value(at, node(0).applies, Trail{});
  return std::move(violation_);
}

bool Validator::refuse(const Trail& trail, std::string message) {
  violation_ = Violation{pointer_of(&trail), std::move(message)};
  return false;
}

bool Validator::value(std::size_t& at, Nodes nodes, const Trail& trail) {
  if (nodes.empty()) {
    at = skip_value(text_, at);
    return true;
  }
  if (trail.depth > kMaxDepth) return refuse(trail, format("is nested more than {} deep", kMaxDepth));
  const Kind kind = kind_at(text_, at);
  const bool container = kind == Kind::kObject || kind == Kind::kArray;
  const std::size_t end = container ? at : skip_value(text_, at);  // the end of a container is found while walking it
  const Types types = type_of(Value{kind, text_.substr(at, end - at)});
  for (const NodeIndex index : nodes) {
    const Node& rules = node(index);
    if (rules.never) return refuse(trail, "is not allowed: its schema is false");
    if (rules.types != 0 && (rules.types & types) == 0) return refuse(trail, format("must be of type {}", rules.type_names));
    if ((rules.allowed || rules.constant) && !identity(rules, at, container ? skip_value(text_, at) : end, trail)) return false;
    if (kind == Kind::kNumber && !number(rules, text_.substr(at, end - at), trail)) return false;
    if (kind == Kind::kString && rules.length &&
        !in_range(rules.length, decoded_length(text_.substr(at + 1, end - at - 2)), "characters", trail)) {
      return false;
    }
  }
  if (kind == Kind::kObject) return object(at, nodes, trail);
  if (kind == Kind::kArray) return array(at, nodes, trail);
  at = end;
  return true;
}

bool Validator::identity(const Node& rules, std::size_t at, std::size_t end, const Trail& trail) {
  const Value data{kind_at(text_, at), text_.substr(at, end - at)};
  if (rules.constant && !equals(data, *rules.constant)) return refuse(trail, "must be the value of const");
  if (!rules.allowed) return true;
  const auto same = [&](const boost::json::value& allowed) { return equals(data, allowed); };
  if (std::any_of(rules.allowed->begin(), rules.allowed->end(), same)) return true;
  return refuse(trail, "must be one of the values of enum");
}

bool Validator::number(const Node& rules, std::string_view text, const Trail& trail) {
  const Decimal data(text);
  const Bounds& bounds = rules.bounds;
  if (bounds.minimum && data < Decimal(*bounds.minimum)) return refuse(trail, format("must be at least {}", *bounds.minimum));
  if (bounds.maximum && data > Decimal(*bounds.maximum)) return refuse(trail, format("must be at most {}", *bounds.maximum));
  if (bounds.exclusive_minimum && data <= Decimal(*bounds.exclusive_minimum)) {
    return refuse(trail, format("must be more than {}", *bounds.exclusive_minimum));
  }
  if (bounds.exclusive_maximum && data >= Decimal(*bounds.exclusive_maximum)) {
    return refuse(trail, format("must be less than {}", *bounds.exclusive_maximum));
  }
  return true;
}

bool Validator::in_range(const std::optional<Range>& range, std::size_t count, std::string_view of_what, const Trail& trail) {
  if (!range) return true;
  if (count < range->least) return refuse(trail, format("must have at least {} {}", range->least, of_what));
  if (count > range->most) return refuse(trail, format("must have at most {} {}", range->most, of_what));
  return true;
}

bool Validator::object(std::size_t& at, Nodes nodes, const Trail& trail) {
  std::size_t required = 0;
  for (const NodeIndex index : nodes) required += node(index).required.size();
  std::vector<bool> seen(required);  // the required names of all nodes, concatenated
  std::size_t count = 0;
  at = skip_space(text_, at + 1);
  while (at < text_.size() && text_[at] == '"') {
    const std::size_t name_at = at;
    at = skip_string(text_, at);
    const std::string_view raw_name = text_.substr(name_at + 1, at - name_at - 2);
    at = skip_mark(text_, at, ':');
    if (!member(at, nodes, trail, raw_name, seen)) return false;
    at = skip_mark(text_, at, ',');
    ++count;
  }
  ++at;
  auto next_seen = seen.begin();
  for (const NodeIndex index : nodes) {
    const Node& rules = node(index);
    for (const std::string& name : rules.required) {
      if (!*next_seen++) return refuse(trail, format("must have the member \"{}\"", name));
    }
    if (!in_range(rules.member_count, count, "members", trail)) return false;
  }
  return true;
}

bool Validator::member(std::size_t& at, Nodes nodes, const Trail& trail, std::string_view raw_name, std::vector<bool>& seen) {
  const Trail here{.up = &trail, .raw_name = raw_name, .is_member = true, .depth = trail.depth + 1};
  std::string decoded;
  std::string_view name = raw_name;
  if (raw_name.find('\\') != std::string_view::npos) name = decoded = decode_string(raw_name);
  NodeSet below;
  std::size_t first_seen = 0;
  for (const NodeIndex index : nodes) {
    const Node& rules = node(index);
    const auto known = rules.known.find(name);
    const bool named = known != rules.known.end();
    if (named && known->second.required) seen[first_seen + known->second.required_index] = true;
    first_seen += rules.required.size();
    if (named && known->second.node) {
      below.add(node(*known->second.node).applies);
    } else if (rules.additional) {
      if (node(*rules.additional).never) return refuse(here, "is not a member of the schema, and other members are not allowed");
      below.add(node(*rules.additional).applies);
    }
  }
  return value(at, below.nodes(), here);
}

bool Validator::array(std::size_t& at, Nodes nodes, const Trail& trail) {
  std::size_t count = 0;
  at = skip_space(text_, at + 1);
  while (at < text_.size() && text_[at] != ']') {
    NodeSet below;
    for (const NodeIndex index : nodes) {
      const Node& rules = node(index);
      if (rules.items && count >= rules.items_from) below.add(node(*rules.items).applies);
    }
    if (!value(at, below.nodes(), Trail{.up = &trail, .index = count, .depth = trail.depth + 1})) return false;
    at = skip_mark(text_, at, ',');
    ++count;
  }
  ++at;
  for (const NodeIndex index : nodes) {
    if (!in_range(node(index).element_count, count, "elements", trail)) return false;
  }
  return true;
}

}  // namespace

std::optional<Violation> validate(const Program& program, const Value& checked) { return Validator(program, checked.text).run(); }

}  // namespace ladder::json::schema
