#include "store/locate.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"
#include "store/long_values/directory.h"

#include <algorithm>
#include <utility>

namespace ladder::store {
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
