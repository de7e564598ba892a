// Format, in varints: the version of creation. If there is more: how much older the key's first version is, the number
// of changed fields, and for each its number as the distance from the previous one and how much newer its version is.
// Then the emissions, each with its version and its text.
#include "store/index/field_versions.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "store/long_values/split.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();  // of a field number and of a version

// Reads a sequence of varints. After a missing or too large one, good() is false and all further values are zero.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return at_ == bytes_.size(); }
  // Returns the next varint plus `base`.
  std::uint64_t next(std::uint64_t base = 0) {
    const auto value = good_ ? get_varint(bytes_, at_) : std::nullopt;
    good_ = value && *value <= kMax - base;
    return good_ ? base + *value : 0;
  }
  std::string text() {
    const std::uint64_t size = next();
    good_ = good_ && size <= bytes_.size() - at_;
    if (!good_) return {};
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

void FieldVersions::note_emission(std::string_view before, std::optional<std::int64_t> version, std::string_view now) {
  if (emitted.empty()) emitted.emplace(created, before);
  if (version) emitted[*version] = now;
  std::set<std::int64_t> living = {created};
  for (const auto& [field, at] : changed) living.insert(at);
  std::erase_if(emitted, [&](const auto& each) { return !living.contains(each.first); });
}

std::optional<std::string> FieldVersions::emitted_at(const std::function<bool(FieldNo)>& counts) const {
  if (emitted.empty()) return std::nullopt;
  std::int64_t newest = created;
  for (const auto& [field, version] : changed) {
    if (counts(field)) newest = std::max(newest, version);
  }
  const auto found = emitted.find(newest);
  if (found == emitted.end()) return std::nullopt;
  return found->second;
}

std::string FieldVersions::encode() const {
  std::string bytes;
  const auto put = [&](std::int64_t number) { put_varint(bytes, static_cast<std::uint64_t>(number)); };
  put(created);
  if (first_version() == created && changed.empty() && emitted.empty()) return bytes;
  put(created - first_version());
  put(std::ssize(changed));
  FieldNo previous = 0;
  for (const auto& [field, version] : changed) {
    put(field - previous);
    put(version - created);
    previous = field;
  }
  for (const auto& [version, text] : emitted) {
    put(version - created);
    put(std::ssize(text));
    bytes += text;
  }
  return bytes;
}

std::optional<FieldVersions> FieldVersions::decode(std::string_view bytes) {
  Numbers numbers(bytes);
  const std::uint64_t created = numbers.next();
  FieldVersions versions;
  versions.created = static_cast<std::int64_t>(created);
  if (numbers.at_end()) return numbers.good() ? std::optional(versions) : std::nullopt;
  const std::uint64_t older = numbers.next();
  if (older > created) return std::nullopt;
  if (older > 0) versions.known_since = static_cast<std::int64_t>(created - older);
  std::uint64_t field = 0;
  for (std::uint64_t left = numbers.next(); numbers.good() && left > 0; --left) {
    field = numbers.next(field);
    versions.changed[static_cast<FieldNo>(field)] = static_cast<std::int64_t>(numbers.next(created));
  }
  while (numbers.good() && !numbers.at_end()) {
    const std::uint64_t version = numbers.next(created);
    versions.emitted[static_cast<std::int64_t>(version)] = numbers.text();
  }
  return numbers.good() ? std::optional(versions) : std::nullopt;
}

// Finds the top-level fields of a record that changed between two row bodies. Whether a value stays in the row may
// depend on other fields, so an inline value and a reference are compared by content: a field never looks changed
// because another one did (design D5).

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

// Compares the rest of both bodies, from the current members (if any), in any order.
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
  // Records mostly keep the order of their members, so compare pairwise first.
  bool has_old = old_walk.next(), has_new = new_walk.next();
  for (; has_old && has_new && old_walk.raw_name() == new_walk.raw_name(); has_old = old_walk.next(), has_new = new_walk.next()) {
    if (!same_value(old_walk.value(), new_walk.value())) changed.push_back(json::decode_string(new_walk.raw_name()));
  }
  if (has_old || has_new) compare_by_name(old_walk, has_old, new_walk, has_new, changed);
  return changed;
}

}  // namespace ladder::store
