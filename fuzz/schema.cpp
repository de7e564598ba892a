// JSON Schema: first line a schema, second line a value. Compiling and validating are bounded, violations point into
// the value, and the verdict equals that of a plain validator over trees that knows the keywords Ladder enforces (all
// but local $ref).
#include "json/schema/schema.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "json/parse.h"
#include "json/scan/pointer.h"
#include "schema_model.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kBytes = 1 << 16;
constexpr std::size_t kDepth = 64;

void check_violation(const json::Violation& violation, const json::Value& value) {
  FUZZ_CHECK(!violation.message.empty() && utf8::is_valid(violation.pointer));
  const auto tokens = json::parse_pointer(violation.pointer);
  if (!tokens) return;  // too deep or too long for a lookup; still a pointer
  FUZZ_CHECK(json::resolve(value, *tokens).has_value());
}

// Checks that each value validates against its own const and enum, and no other value does.
void check_constant(const boost::json::value& tree) {
  const std::string text = json::canonical(tree);
  const json::Value value = json::value_of(text);
  boost::json::array one;
  one.push_back(tree);
  for (const boost::json::object& schema : {boost::json::object{{"const", tree}}, boost::json::object{{"enum", one}}}) {
    const auto compiled = json::Schema::compile(schema);
    FUZZ_CHECK(compiled && !compiled->validate(value));
    const std::string other = "[" + text + "]";
    FUZZ_CHECK(compiled->validate(json::value_of(other)).has_value());
  }
}

}  // namespace

void run(std::string_view input) {
  const auto schema_tree = json::parse(take_line(input), kBytes, kDepth);
  if (!json::check(input, kDepth)) return;
  const auto tree = json::parse(input, kBytes, kDepth);
  if (tree) check_constant(*tree);
  if (!schema_tree) return;
  const auto compiled = json::Schema::compile(*schema_tree);
  if (!compiled) {
    FUZZ_CHECK(compiled.error().code == Code::kConnectorInvalid && utf8::is_valid(compiled.error().message));
    return;
  }
  for (const std::string& pointer : compiled->unenforced()) FUZZ_CHECK(pointer.starts_with('/'));
  const json::Value value = json::value_of(input);
  const auto violation = compiled->validate(value);
  if (!tree) return;  // a repeated name, or a number that trees cannot hold: validated, but not compared
  if (violation) check_violation(*violation, value);
  // The canonical text has exactly the numbers of the tree.
  const std::string canonical = json::canonical(*tree);
  const bool is_refused = compiled->validate(json::value_of(canonical)).has_value();
  if (const auto verdict = accepts(*schema_tree, *tree)) FUZZ_CHECK(*verdict == !is_refused);
}

}  // namespace ladder::fuzz
