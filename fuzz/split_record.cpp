#include "split_record.h"

#include "base/limits.h"
#include "base/text/utf8.h"
#include "json/scan/pointer.h"
#include "model/field_path.h"
#include "store/locate.h"
#include "store/long_values/directory.h"
#include "store/long_values/long_value.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder::fuzz {
namespace {

std::string decoded(const json::Value& value) {
  return value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

bool same_members(std::string_view a, std::string_view b) {
  json::Members left(a);
  json::Members right(b);
  while (left.next()) {
    if (!right.next() || json::decode_string(left.raw_name()) != json::decode_string(right.raw_name())) return false;
    if (!same_value(left.value(), right.value())) return false;
  }
  return !right.next();
}

bool same_elements(std::string_view a, std::string_view b) {
  json::Elements left(a);
  json::Elements right(b);
  while (left.next()) {
    if (!right.next() || !same_value(left.value(), right.value())) return false;
  }
  return !right.next();
}

constexpr std::size_t kMaxChildren = 400;  // number of children checked

struct Child {
  std::string step;
  json::Value value;
};

template <class Walk, class NameOf>
Child some_child(std::string_view container, NameOf name_of, Chance& chance) {
  std::size_t count = 0;
  for (Walk walk(container); count < kMaxChildren && walk.next();) ++count;
  if (count == 0) return {};
  const std::size_t chosen = chance.below(count);
  Walk walk(container);
  for (std::size_t i = 0; i <= chosen; ++i) walk.next();
  return {name_of(walk, chosen), walk.value()};
}

// Returns a random path from a value to a nested value or to nothing.
std::vector<std::string> some_steps(json::Value from, Chance& chance) {
  std::vector<std::string> steps;
  while (steps.size() < 8 && (from.kind == json::Kind::kObject || from.kind == json::Kind::kArray) && chance.below(6) != 0) {
    if (chance.below(20) == 0) {
      steps.emplace_back(chance.below(2) == 0 ? "none" : "399");
      break;
    }
    Child child =
        from.kind == json::Kind::kObject
            ? some_child<json::Members>(
                  from.text, [](const auto& walk, std::size_t) { return json::decode_string(walk.raw_name()); }, chance)
            : some_child<json::Elements>(from.text, [](const auto&, std::size_t index) { return std::to_string(index); }, chance);
    if (child.value.text.empty()) break;
    steps.push_back(std::move(child.step));
    from = child.value;
  }
  return steps;
}

}  // namespace

bool same_value(const json::Value& a, const json::Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case json::Kind::kString:
      return decoded(a) == decoded(b);
    case json::Kind::kObject:
      return same_members(a.text, b.text);
    case json::Kind::kArray:
      return same_elements(a.text, b.text);
    default:
      return a.text == b.text;
  }
}

SplitRecord::SplitRecord(const json::Value& data, const store::RecordWrite& write)
    : data_(data), write_(write), reader_(write.values) {}

std::string SplitRecord::text_of(const store::LongRef& ref) {
  if (ref.size_chars == 0) return {};
  const store::ChunkSpan span = store::chunk_span(ref, 0, ref.size_chars);
  const auto chunks = reader_.chunks(ref.text_id, span.first, span.last);
  FUZZ_CHECK(chunks && static_cast<std::int64_t>(chunks->size()) == span.last - span.first + 1);
  return store::cut_chars(ref, *chunks, 0, ref.size_chars);
}

// The row contains names, order and every short value, and is not too long.
void SplitRecord::check_row() {
  FUZZ_CHECK(write_.body.size() <= limits::kRecordRowBytes);
  json::Members original(data_.text);
  json::Members kept(write_.body);
  while (original.next()) {
    FUZZ_CHECK(kept.next());
    FUZZ_CHECK(json::decode_string(original.raw_name()) == json::decode_string(kept.raw_name()));
    check_member(original.value(), kept.value());
  }
  FUZZ_CHECK(!kept.next());
}

void SplitRecord::check_member(const json::Value& value, const json::Value& kept) {
  if (kept.kind != json::Kind::kReference) {
    FUZZ_CHECK(same_value(value, kept));
    return;
  }
  const auto ref = store::parse_reference(kept.text);
  FUZZ_CHECK(ref && store::format_reference(*ref) == kept.text);
  check_long(*ref, value);
}

void SplitRecord::check_long(const store::LongRef& ref, const json::Value& value) {
  FUZZ_CHECK(ref.kind == value.kind);
  FUZZ_CHECK(ref.id >= write_.first_value && ref.id < write_.first_value + write_.value_count);
  FUZZ_CHECK(std::ranges::count(store::kChunkChars, ref.chunk_chars) == 1);
  const std::string text = text_of(ref);
  FUZZ_CHECK(static_cast<std::int64_t>(text.size()) == ref.size_bytes && utf8::count(text) == ref.size_chars);
  FUZZ_CHECK(crypto::sha256(text) == ref.digest);
  if (ref.kind == json::Kind::kString) {
    FUZZ_CHECK(text == decoded(value) && ref.value_class != store::ValueClass::kJson);
  } else {
    FUZZ_CHECK(ref.value_class == store::ValueClass::kJson && same_value({ref.kind, text}, value));
  }
}

// Chunks are cut as their references say and numbered without gaps, and every planned id is used.
void SplitRecord::check_values() const {
  std::map<store::ValueId, std::vector<const store::ChunkRow*>> texts;
  std::set<store::ValueId> used;
  for (const store::ChunkRow& row : write_.values.chunks) {
    FUZZ_CHECK(!row.bytes.empty() && row.bytes.size() <= limits::kChunkBytes && utf8::is_valid(row.bytes));
    auto& chunks = texts[row.value];
    FUZZ_CHECK(row.chunk_no == static_cast<std::int64_t>(chunks.size()));
    chunks.push_back(&row);
    used.insert(row.value);
  }
  for (const auto& [id, chunks] : texts) {
    const std::int64_t chars = utf8::count(chunks.front()->bytes);
    for (const store::ChunkRow* row : chunks) {
      FUZZ_CHECK(row == chunks.back() ? utf8::count(row->bytes) <= chars : utf8::count(row->bytes) == chars);
    }
  }
  for (const store::DirectoryRow& row : write_.values.directory) {
    FUZZ_CHECK(row.page.size() <= 2 * limits::kChunkBytes);
    FUZZ_CHECK(!store::find_entries(row.page, row.first).empty());
    used.insert(row.value);
  }
  for (const store::ValueId id : used) FUZZ_CHECK(id >= write_.first_value && id < write_.first_value + write_.value_count);
  FUZZ_CHECK(static_cast<std::int64_t>(used.size()) == write_.value_count);
}

void SplitRecord::check_windows(const store::LongRef& ref, std::string_view text, Chance& chance) {
  const auto size = static_cast<std::size_t>(ref.size_chars);
  for (int round = 0; round < 2; ++round) {
    const auto start = static_cast<std::int64_t>(chance.below(size));
    const std::int64_t end = start + 1 + static_cast<std::int64_t>(chance.below(size - static_cast<std::size_t>(start)));
    const store::ChunkSpan span = store::chunk_span(ref, start, end);
    const auto chunks = reader_.chunks(ref.text_id, span.first, span.last);
    FUZZ_CHECK(chunks && store::cut_chars(ref, *chunks, start, end) == utf8::slice(text, start, end - start));
  }
}

void SplitRecord::check_paths(Chance& chance) {
  for (int round = 0; round < 3; ++round) check_path(chance);
}

// A path leads to the same value in the row with its long values as in the data, and reads a bounded part of them.
void SplitRecord::check_path(Chance& chance) {
  const std::vector<std::string> steps = some_steps(data_, chance);
  const auto path = model::parse_field_path(json::format_pointer(steps));
  if (!path) return;
  store::RecordRow row;
  row.body = write_.body;
  reader_.take_bytes_read();
  const auto located = store::locate(reader_, row, *path);
  constexpr std::int64_t kBytesPerStep = 2 * limits::kInlineContainerBytes + 4 * limits::kChunkBytes;
  FUZZ_CHECK(reader_.take_bytes_read() <= static_cast<std::int64_t>(steps.size()) * kBytesPerStep);
  const auto expected = json::resolve(data_, steps);
  if (!located) {
    FUZZ_CHECK(located.error().code == Code::kFieldNotFound && !expected);
    return;
  }
  FUZZ_CHECK(expected && located->kind == expected->kind);
  if (!located->ref) {
    FUZZ_CHECK(located->kind == json::Kind::kString ? located->text == decoded(*expected)
                                                    : same_value({located->kind, located->text}, *expected));
    return;
  }
  check_long(*located->ref, *expected);
  const std::string text = text_of(*located->ref);
  if (!text.empty()) check_windows(*located->ref, text, chance);
}

}  // namespace ladder::fuzz
