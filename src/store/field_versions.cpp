// Varints: the version of creation; and, unless that is all, how much older the key's first version is, how many fields changed
// and for each its number, as the distance from the one before, and how much newer its version is; then the emissions, each with
// its version and its text.
#include "store/field_versions.h"

#include "base/bytes.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ladder::store {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // of a field number and of a version

// Numbers one after the other; once one is missing or too large, all are zero and it is no longer good.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return at_ == bytes_.size(); }
  // `base` more than what is written.
  std::uint64_t next(std::uint64_t base = 0) {
    const auto value = good_ ? get_varint(bytes_, at_) : std::nullopt;
    good_ = value && *value <= kMost - base;
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

}  // namespace ladder::store
