#include "server/window/field_text.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <chrono>

namespace ladder::server {
namespace {

constexpr std::int64_t kScanChunks = 128;  // about half a megabyte per round trip

// Builds the metadata that ingest would have stored if the value had been long.
store::LongRef describe(json::Kind kind, std::string_view text) {
  store::Measure measure;
  measure.feed(text);
  store::LongRef ref;
  ref.kind = kind;
  ref.size_chars = measure.chars();
  ref.size_bytes = measure.bytes();
  ref.digest = crypto::sha256(text);
  if (kind != json::Kind::kString) {
    ref.value_class = store::ValueClass::kJson;
    ref.mime_type = "application/json";
  } else if (measure.looks_base64()) {
    ref.value_class = store::ValueClass::kBase64;
    ref.mime_type = measure.sniffed_mime_type();
  }
  return ref;
}

}  // namespace

Result<FieldText> FieldText::of(store::Located located, std::string_view field_path) {
  FieldText text;
  if (located.ref) {
    text.is_short_ = false;
    text.ref_ = *std::move(located.ref);
    return text;
  }
  if (located.kind != json::Kind::kString && located.kind != json::Kind::kObject && located.kind != json::Kind::kArray) {
    return fail(Code::kFieldNotText,
                format("\"{}\" is a number, boolean or null, not text; read it with the record itself", field_path),
                "field_path");
  }
  text.ref_ = describe(located.kind, located.text);
  text.short_text_ = std::move(located.text);
  return text;
}

std::string_view FieldText::type() const {
  switch (ref_.kind) {
    case json::Kind::kObject:
      return "object";
    case json::Kind::kArray:
      return "array";
    default:
      return "string";
  }
}

Result<std::optional<std::string>> FieldText::chars(store::Reader& reader, std::int64_t start, std::int64_t end) const {
  if (start >= end) return std::string();
  if (is_short_) return std::string(utf8::slice(short_text_, start, end - start));
  std::string text;
  const std::int64_t chunks = (end - start) / ref_.chunk_chars + 2;
  text.reserve(static_cast<std::size_t>(chunks) * limits::kChunkBytes);
  LADDER_TRY(const bool whole, each_part(reader, start, end, [&](std::string_view part) { text += part; }));
  if (!whole) return std::nullopt;
  return text;
}

Result<bool> FieldText::each_part(store::Reader& reader, std::int64_t start, std::int64_t end,
                                  const store::Reader::UseChunk& use) const {
  const store::ChunkSpan span = store::chunk_span(ref_, start, end);
  store::ChunkCut cut(ref_, start, end);
  LADDER_TRY(const std::int64_t found,
             reader.each_chunk(ref_.text_id, span.first, span.last, [&](std::string_view chunk) { use(cut.next(chunk)); }));
  return found == span.last - span.first + 1;
}

Result<FieldText::ScanResult> FieldText::find(store::Store& store, store::OwnerNo owner, std::string_view q, std::int64_t from,
                                              const Scan& scan) const {
  FoldedFinder finder(q);
  if (!is_short_) return find_in_chunks(store, owner, finder, from, scan);
  const auto at = finder.feed(utf8::slice(short_text_, from, ref_.size_chars - from));
  if (!at) return ScanResult{};
  return ScanResult{Found::kMatch, from + *at};
}

Result<FieldText::ScanResult> FieldText::find_in_chunks(store::Store& store, store::OwnerNo owner, FoldedFinder& finder,
                                                        std::int64_t from, const Scan& scan) const {
  const std::int64_t step = kScanChunks * ref_.chunk_chars;
  auto last_check = std::chrono::steady_clock::now();
  for (std::int64_t at = from; at < ref_.size_chars;) {
    // Pieces end on chunk boundaries, so that every chunk is fetched once.
    const std::int64_t in_text = ref_.text_start + at;
    const std::int64_t border = (in_text / step + 1) * step - ref_.text_start;
    const std::int64_t end = std::min(ref_.size_chars, border);
    LADDER_TRY(const auto reader, store.read(owner));
    std::optional<std::int64_t> match;
    LADDER_TRY(const bool whole, each_part(*reader, at, end, [&](std::string_view part) { match = finder.feed(part); }));
    if (!whole) return ScanResult{Found::kGone, 0};
    if (match) return ScanResult{Found::kMatch, from + *match};
    at = end;
    if (scan.stop.stop_requested()) return fail(Code::kCancelled, "the caller went away while the field was being searched");
    if (scan.deadline.passed()) {
      return fail(Code::kDeadline, "searching the field took too long; narrow it down with offset_chars windows", "q");
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_check >= std::chrono::milliseconds(limits::kRecheckAfterMs)) {
      LADDER_CHECK(scan.keep_going());
      last_check = now;
    }
  }
  return ScanResult{};
}

}  // namespace ladder::server
