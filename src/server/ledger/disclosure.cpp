#include "server/ledger/disclosure.h"

#include "base/text/bytes.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "model/field_path.h"
#include "store/index/field_index.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::string_view kDigestPrefix = "sha256:";

std::optional<crypto::Digest> digest_of(std::string_view text) {
  std::optional<crypto::Digest> digest(std::in_place);
  if (!text.starts_with(kDigestPrefix) || !from_hex(text.substr(kDigestPrefix.size()), *digest)) digest.reset();
  return digest;
}

// Every member of the data is shown completely, except those listed as cut.
void disclose_into(const api::Record& record, Disclosure& into) {
  ShownRecord& shown = into.record(record.ref);
  const json::Value data = json::value_of(record.data);
  if (data.kind == json::Kind::kObject) {
    for (json::Members members(data.text); members.next();) {
      const std::string path = model::format_field_path(json::decode_string(members.raw_name()));
      const auto cut = std::ranges::find(record.cut, path, &api::CutField::path);
      if (cut != record.cut.end()) {
        add_range(shown.field(path, Unit::kChars, digest_of(cut->digest), cut->size_chars).ranges, {0, cut->shown_chars});
        continue;
      }
      const json::Value& value = members.value();
      const std::string text =
          value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
      const std::int64_t size = utf8::count(text);
      add_range(shown.field(path, Unit::kChars, crypto::sha256(text), size).ranges, {0, size});
    }
  }
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& related : expansion.records) disclose_into(related, into);
  }
}

}  // namespace

void add_range(ShownRanges& ranges, ShownRange added) {
  if (added.start >= added.end) return;
  auto first = std::ranges::lower_bound(ranges, added.start, {},
                                        &ShownRange::end);  // the first range that overlaps, touches or follows it
  auto last = first;
  for (; last != ranges.end() && last->start <= added.end; ++last) {
    added.start = std::min(added.start, last->start);
    added.end = std::max(added.end, last->end);
  }
  first = ranges.erase(first, last);
  ranges.insert(first, added);
}

std::int64_t length_of(const ShownRanges& ranges) {
  std::int64_t length = 0;
  for (const ShownRange& range : ranges) length += range.end - range.start;
  return length;
}

std::string_view word_of(Unit unit) {
  switch (unit) {
    case Unit::kChars:
      return "chars";
    case Unit::kBytes:
      return "bytes";
    case Unit::kRecords:
      break;
  }
  return "records";
}

ShownField& ShownRecord::field(std::string_view path, Unit unit, const std::optional<crypto::Digest>& digest, std::int64_t size) {
  const auto same = [&](const ShownField& known) { return known.path == path && known.unit == unit && known.digest == digest; };
  const auto found = std::ranges::find_if(fields, same);
  if (found != fields.end()) return *found;
  return fields.emplace_back(ShownField{std::string(path), unit, digest, size, {}});
}

void ShownRecord::add(const std::vector<ShownField>& more) {
  for (const ShownField& shown : more) {
    ShownField& known = field(shown.path, shown.unit, shown.digest, shown.size);
    for (const ShownRange& range : shown.ranges) add_range(known.ranges, range);
  }
}

std::int64_t ShownRecord::total(Unit unit) const {
  std::int64_t total = 0;
  for (const ShownField& field : fields) {
    if (field.unit == unit) total += length_of(field.ranges);
  }
  return total;
}

ShownRecord& Disclosure::record(const model::RecordRef& ref) {
  // Compares keys first, because they differ more often than connections and streams.
  const auto found = std::ranges::find_if(
      records, [&ref](const ShownRecord& known) { return known.record.record_id == ref.record_id && known.record == ref; });
  return found != records.end() ? *found : records.emplace_back(ShownRecord{ref, {}});
}

std::int64_t Disclosure::total(Unit unit) const {
  std::int64_t total = 0;
  for (const ShownRecord& record : records) total += record.total(unit);
  return total;
}

ShownWindow disclose(const api::FieldWindow& window) { return {window, digest_of(window.digest)}; }

Disclosure ShownWindow::full_disclosure() const {
  Disclosure shown{std::string(kWindowKind), std::string(query()), {}};
  add_range(shown.record(window.record).field(window.path, Unit::kChars, digest, window.size_chars).ranges, range());
  return shown;
}

Disclosure disclose(const api::Record& record) {
  Disclosure shown{"record", {}, {}};
  disclose_into(record, shown);
  return shown;
}

Disclosure disclose(const api::RecordsPage& page, std::string_view kind) {
  Disclosure shown{std::string(kind), {}, {}};
  for (const api::Record& record : page.records) disclose_into(record, shown);
  if (page.shown_chars) shown.counted = ReadAmount{*page.shown_chars, 0};
  return shown;
}

Disclosure disclose(const api::SearchPage& page, std::string_view query) {
  Disclosure shown{"search", std::string(query), {}};
  const auto add = [](ShownRecord& record, const api::ShownPart& part) {
    add_range(record.field(part.field_path, Unit::kChars, digest_of(part.digest), part.size_chars).ranges,
              {part.start_chars, part.end_chars});
  };
  for (const api::SearchHit& hit : page.hits) {
    ShownRecord& record = shown.record(hit.ref);
    for (const api::MatchWindow& window : hit.windows) {
      add_range(record.field(window.field_path, Unit::kChars, digest_of(window.digest), window.size_chars).ranges,
                {window.start_chars, window.end_chars});
    }
    for (const api::ShownPart& line : hit.lines) add(record, line);
  }
  for (const api::SearchedWord& word : page.searched_words) {
    for (const api::WordOccurrence& place : word.near_occurrences) add(shown.record(place.record), place.part);
  }
  return shown;
}

Disclosure disclose(const api::Blob& blob, const model::RecordRef& holder, std::int64_t to_follow) {
  Disclosure shown{"blob", {}, {}};
  add_range(shown.record(holder).field(store::kBlobField, Unit::kBytes, digest_of(blob.digest), blob.size_bytes).ranges,
            {blob.first_byte, blob.first_byte + std::ssize(blob.bytes)});
  const auto amount = [text = api::is_text_type(blob.mime_type)](std::int64_t bytes) {
    return text ? ReadAmount{bytes, 0} : ReadAmount{0, bytes};
  };
  shown.counted = amount(std::ssize(blob.bytes));
  shown.ahead = amount(to_follow);
  return shown;
}

}  // namespace ladder::server
