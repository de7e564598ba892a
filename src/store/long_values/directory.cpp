// Format of a directory page: the first key (8 bytes, big-endian). Then for each entry, as varints: its key minus the
// previous key, its count, start and size in characters, and the length of its reference, followed by the reference
// itself.
#include "store/long_values/directory.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::size_t kPageBytes = 3600;  // a page may exceed this by one entry, so it stays smaller than a chunk

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

void append_entry(std::string& page, const DirectoryEntry& entry, std::int64_t previous_key) {
  put_varint(page, distance(previous_key, entry.key));
  put_varint(page, static_cast<std::uint64_t>(entry.count));
  put_varint(page, static_cast<std::uint64_t>(entry.start_chars));
  put_varint(page, static_cast<std::uint64_t>(entry.size_chars));
  put_varint(page, entry.reference.size());
  page += entry.reference;
}

// Reads one entry; returns false at the end or when the bytes are invalid.
bool read_entry(std::string_view page, std::size_t& at, DirectoryEntry& entry) {
  const auto step = get_varint(page, at);
  const auto count = step ? get_varint(page, at) : std::nullopt;
  const auto start = count ? get_varint(page, at) : std::nullopt;
  const auto size = start ? get_varint(page, at) : std::nullopt;
  const auto length = size ? get_varint(page, at) : std::nullopt;
  if (!length || *length > page.size() - at) return false;
  entry.key = static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.key) + *step);
  entry.count = static_cast<std::int64_t>(*count);
  entry.start_chars = static_cast<std::int64_t>(*start);
  entry.size_chars = static_cast<std::int64_t>(*size);
  entry.reference = page.substr(at, *length);
  at += *length;
  return true;
}

}  // namespace

std::int64_t name_key(std::string_view decoded_name) {
  return static_cast<std::int64_t>(get_u64_be(crypto::view(crypto::sha256(decoded_name))));
}

void DirectoryBuilder::add(DirectoryEntry entry, std::string_view raw_name) { entries_.push_back({std::move(entry), raw_name}); }

// Equal names have equal keys, so only adjacent entries need comparing. Different names with the same key are kept.
void DirectoryBuilder::drop_repeated_names() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto repeats = [&](const Named& earlier) {
      return earlier.raw_name.data() != nullptr && json::name_equals(entries_[i].raw_name, json::decode_string(earlier.raw_name));
    };
    std::size_t first_of_key = kept;
    while (first_of_key > 0 && entries_[first_of_key - 1].entry.key == entries_[i].entry.key) --first_of_key;
    if (std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(first_of_key),
                    entries_.begin() + static_cast<std::ptrdiff_t>(kept), repeats)) {
      continue;
    }
    if (kept != i) entries_[kept] = std::move(entries_[i]);
    ++kept;
  }
  entries_.resize(kept);
}

std::vector<std::pair<std::int64_t, std::string>> DirectoryBuilder::pages() {
  std::ranges::sort(entries_, {}, [](const Named& named) { return std::pair(named.entry.key, named.entry.start_chars); });
  drop_repeated_names();
  std::vector<std::pair<std::int64_t, std::string>> pages;
  std::int64_t previous_key = 0;
  for (const auto& [entry, raw_name] : entries_) {
    const bool is_full = !pages.empty() && pages.back().second.size() >= kPageBytes && entry.key != previous_key;
    if (pages.empty() || is_full) {
      pages.emplace_back(entry.key, std::string());
      put_u64_be(pages.back().second, static_cast<std::uint64_t>(entry.key));
      previous_key = entry.key;
    }
    append_entry(pages.back().second, entry, previous_key);
    previous_key = entry.key;
  }
  entries_.clear();
  return pages;
}

std::vector<DirectoryEntry> find_entries(std::string_view page, std::int64_t key) {
  std::vector<DirectoryEntry> found;
  if (page.size() < 8) return found;
  DirectoryEntry entry;
  entry.key = static_cast<std::int64_t>(get_u64_be(page));
  for (std::size_t at = 8; at < page.size() && read_entry(page, at, entry) && entry.key <= key;) {
    if (distance(entry.key, key) < static_cast<std::uint64_t>(entry.count)) found.push_back(entry);
  }
  return found;
}

namespace {

// Resolves a path. `depth` is always the number of tokens already used.
class Locator {
 public:
  Locator(Reader& reader, const model::FieldPath& path) : reader_(reader), path_(path) {}

  Result<Located> in_row(std::string_view body) {
    const auto value = json::member(body, path_.field);
    if (!value) return absent();
    if (value->kind != json::Kind::kReference) return in_text(*value, 0);
    LADDER_TRY(LongRef ref, parse_reference(value->text));
    return in_long(std::move(ref), 0);
  }

 private:
  Result<Located> in_text(const json::Value& from, std::size_t depth) const;
  Result<Located> in_long(LongRef ref, std::size_t depth);
  Result<Located> in_object(const LongRef& ref, std::size_t depth);
  Result<Located> in_array(const LongRef& ref, std::size_t depth);
  Result<bool> has_name(const LongRef& ref, const DirectoryEntry& entry, std::string_view name);
  Result<Located> in_nested(std::string_view reference, std::size_t depth) {
    LADDER_TRY(LongRef nested, parse_reference(reference));
    return in_long(std::move(nested), depth);
  }
  Result<std::vector<DirectoryEntry>> entries(const LongRef& ref, std::int64_t key);
  Result<std::string> chars(const LongRef& ref, std::int64_t start, std::int64_t length);

  std::unexpected<Error> absent() const {
    return fail(Code::kFieldNotFound, format("the record has no value at \"{}\"", path_.text), "field_path");
  }
  static std::unexpected<Error> gone() { return fail(Code::kNotFound, "the record changed while it was being read; try again"); }

  Reader& reader_;
  const model::FieldPath& path_;
};

Result<Located> Locator::in_text(const json::Value& from, std::size_t depth) const {
  const auto value = json::resolve(from, path_.nested, depth);
  if (!value) return absent();
  Located located;
  located.kind = value->kind;
  located.text = value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
  return located;
}

Result<Located> Locator::in_long(LongRef ref, std::size_t depth) {
  if (depth == path_.nested.size()) {
    Located located;
    located.kind = ref.kind;
    located.ref = std::move(ref);
    return located;
  }
  if (ref.kind == json::Kind::kString) return absent();
  if (ref.size_bytes <= static_cast<std::int64_t>(limits::kInlineContainerBytes)) {  // small containers have no directory
    LADDER_TRY(const std::string text, chars(ref, 0, ref.size_chars));
    return in_text({ref.kind, text}, depth);
  }
  return ref.kind == json::Kind::kObject ? in_object(ref, depth) : in_array(ref, depth);
}

Result<Located> Locator::in_object(const LongRef& ref, std::size_t depth) {
  const std::string& name = path_.nested[depth];
  LADDER_TRY(const auto found, entries(ref, name_key(name)));
  for (const DirectoryEntry& entry : found) {
    // Another name may have the same hash, so compare the name itself.
    if (!entry.reference.empty()) {
      LADDER_TRY(const bool is_it, has_name(ref, entry, name));
      if (is_it) return in_nested(entry.reference, depth + 1);
      continue;
    }
    LADDER_TRY(const std::string member, chars(ref, entry.start_chars, entry.size_chars));
    const std::string object = "{" + member + "}";
    if (const auto value = json::member(object, name)) return in_text(*value, depth + 1);
  }
  return absent();
}

// Reads no more than a name of that length can take: escaping makes it at most six times as long.
Result<bool> Locator::has_name(const LongRef& ref, const DirectoryEntry& entry, std::string_view name) {
  const auto longest = static_cast<std::int64_t>(6 * name.size() + 3);
  LADDER_TRY(const std::string text, chars(ref, entry.start_chars, std::min(entry.size_chars, longest)));
  const std::size_t end = json::skip_string(text, 0);
  return end < text.size() && json::name_equals(std::string_view(text).substr(1, end - 2), name);
}

Result<Located> Locator::in_array(const LongRef& ref, std::size_t depth) {
  const auto index = json::array_index(path_.nested[depth]);
  if (!index || *index > static_cast<std::uint64_t>(ref.size_chars)) return absent();
  LADDER_TRY(const auto found, entries(ref, static_cast<std::int64_t>(*index)));
  if (found.empty()) return absent();
  const DirectoryEntry& entry = found.front();
  if (!entry.reference.empty()) return in_nested(entry.reference, depth + 1);
  LADDER_TRY(const std::string run, chars(ref, entry.start_chars, entry.size_chars));
  const std::string array = "[" + run + "]";
  const std::string place = std::to_string(static_cast<std::int64_t>(*index) - entry.key);
  const auto value = json::step({json::Kind::kArray, array}, place);
  if (!value) return absent();
  return in_text(*value, depth + 1);
}

Result<std::vector<DirectoryEntry>> Locator::entries(const LongRef& ref, std::int64_t key) {
  LADDER_TRY(const auto page, reader_.directory_page(ref.id, key));
  if (page) return find_entries(*page, key);
  // No entry precedes the first key. But if the whole directory is missing, its text is missing too.
  LADDER_CHECK(chars(ref, 0, 1));
  return std::vector<DirectoryEntry>();
}

Result<std::string> Locator::chars(const LongRef& ref, std::int64_t start, std::int64_t length) {
  const ChunkSpan span = chunk_span(ref, start, start + length);
  LADDER_TRY(const auto chunks, reader_.chunks(ref.text_id, span.first, span.last));
  if (static_cast<std::int64_t>(chunks.size()) != span.last - span.first + 1) return gone();
  return cut_chars(ref, chunks, start, start + length);
}

}  // namespace

Result<Located> locate(Reader& reader, const RecordRow& row, const model::FieldPath& path) {
  return Locator(reader, path).in_row(row.body);
}

}  // namespace ladder::store
