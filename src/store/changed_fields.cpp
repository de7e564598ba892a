// Which top-level fields of a record changed, from the two bodies of its row. Whether a value stays in the row or leaves it may
// depend on its neighbours, so a value here and a reference there are compared by content: a field never looks changed because
// another one did (design D5).
#include "store/shred.h"

#include "crypto/hash.h"

#include <map>
#include <utility>

namespace ladder::store {
namespace {

bool is_content_of(const json::Value& value, std::string_view reference) {
  const auto ref = parse_reference(reference);
  if (!ref || ref->kind != value.kind) return false;
  const bool is_string = value.kind == json::Kind::kString;
  return crypto::sha256(is_string ? json::decode_string(json::raw_content(value)) : std::string(value.text)) == ref->digest;
}

bool same_value(const json::Value& a, const json::Value& b) {
  const bool a_left = a.kind == json::Kind::kReference;
  const bool b_left = b.kind == json::Kind::kReference;
  if (a_left && b_left) return same_content(a.text, b.text);
  if (a_left) return is_content_of(b, a.text);
  if (b_left) return is_content_of(a, b.text);
  return a.text == b.text;
}

// The rest of both bodies, from the members the walks stand at (if they stand at one), in any order.
void compare_by_name(json::Members& old_walk, bool has_old, json::Members& new_walk, bool has_new,
                     std::vector<std::string>& changed) {
  std::map<std::string, json::Value> old_values;
  for (; has_old; has_old = old_walk.next()) old_values.emplace(json::decode_string(old_walk.raw_name()), old_walk.value());
  for (; has_new; has_new = new_walk.next()) {
    std::string name = json::decode_string(new_walk.raw_name());
    const auto old_value = old_values.find(name);
    const bool same = old_value != old_values.end() && same_value(old_value->second, new_walk.value());
    if (old_value != old_values.end()) old_values.erase(old_value);
    if (!same) changed.push_back(std::move(name));
  }
  for (auto& [name, value] : old_values) changed.push_back(name);
}

}  // namespace

std::vector<std::string> changed_fields(std::string_view old_body, std::string_view new_body) {
  std::vector<std::string> changed;
  json::Members old_walk(old_body), new_walk(new_body);
  // Records mostly keep the order of their members.
  bool has_old = old_walk.next(), has_new = new_walk.next();
  for (; has_old && has_new && old_walk.raw_name() == new_walk.raw_name(); has_old = old_walk.next(), has_new = new_walk.next()) {
    if (!same_value(old_walk.value(), new_walk.value())) changed.push_back(json::decode_string(new_walk.raw_name()));
  }
  if (has_old || has_new) compare_by_name(old_walk, has_old, new_walk, has_new, changed);
  return changed;
}

}  // namespace ladder::store
