// A schema in the form used by validation: one node per subschema, children by number. Private to schema*.cpp.
#pragma once

#include "base/error/error.h"
#include "json/schema/schema.h"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::json::schema {

using NodeIndex = std::uint32_t;

// A set of types as bits. A number without a fraction is both kNumberBit and kIntegerBit.
using Types = std::uint8_t;
enum TypeBit : Types {
  kNullBit = 1,
  kBooleanBit = 2,
  kNumberBit = 4,
  kIntegerBit = 8,
  kStringBit = 16,
  kObjectBit = 32,
  kArrayBit = 64,
};

// A member named by the schema, in `properties`, in `required` or in both.
struct KnownMember {
  std::optional<NodeIndex> node;
  bool required = false;
  std::size_t required_index = 0;
};

// For minLength, maxLength and similar pairs.
struct Range {
  std::size_t least = 0;
  std::size_t most = SIZE_MAX;
};

// Canonical number text.
struct Bounds {
  std::optional<std::string> minimum;
  std::optional<std::string> maximum;
  std::optional<std::string> exclusive_minimum;
  std::optional<std::string> exclusive_maximum;
};

struct Node {
  bool never = false;                                      // the boolean schema `false`
  Types types = 0;                                         // 0 is any
  std::string type_names;                                  // for the message, e.g. "string or null"
  std::optional<std::vector<boost::json::value>> allowed;  // enum
  std::optional<boost::json::value> constant;              // const
  Bounds bounds;
  std::optional<Range> length;
  std::optional<Range> element_count;
  std::optional<Range> member_count;
  std::map<std::string, KnownMember, std::less<>> known;
  std::vector<std::string> required;
  std::optional<NodeIndex> additional;
  std::optional<NodeIndex> items;
  std::size_t items_from = 0;  // `prefixItems` (not enforced) exempts the first elements from `items`
  std::optional<NodeIndex> reference;
  std::vector<NodeIndex> applies;  // this node and the chain of its references
};

struct Program {
  std::vector<Node> nodes;  // the first one is the root
  std::vector<std::string> unenforced;
};

// Reads a keyword without subschemas into the node; returns false if it is not one of those. `pointer` is that of the
// keyword, for errors.
Result<bool> read_assertion(Node& node, const std::string& pointer, std::string_view keyword, const boost::json::value& value);

std::unexpected<Error> refuse(const std::string& pointer, std::string_view what);  // kConnectorInvalid

Result<Program> compile(const boost::json::value& schema);
std::optional<Violation> validate(const Program& program, const Value& checked);

// Returns whether data text has the same value as a tree: numbers by value, members in any order.
bool equals(const Value& checked, const boost::json::value& value);

}  // namespace ladder::json::schema
