#include "import/formats/record_members.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "json/writer.h"

namespace ladder::imports {

std::string digest_id(std::initializer_list<std::string_view> texts) {
  constexpr std::size_t kDigits = 32;
  crypto::Sha256 hash;
  for (const std::string_view text : texts) {
    std::string length;
    put_varint(length, text.size());
    hash.update(length);
    hash.update(text);
  }
  const crypto::Digest digest = hash.finish();
  return to_hex(crypto::view(digest)).substr(0, kDigits);
}

std::string DerivedIds::number(std::string id) {
  constexpr std::size_t kMaxCounted = 4'000'000;  // about 200 MB; later ids are not counted
  const crypto::Digest digest = crypto::sha256(id);
  const std::uint64_t part = get_u64_be(crypto::view(digest));
  if (counts_.size() >= kMaxCounted && !counts_.contains(part)) return id;
  const int before = counts_[part]++;
  return before == 0 ? id : format("{}-{}", id, before + 1);
}

std::string blob_ref(const crypto::Digest& digest, std::string_view mime_type, std::int64_t size_bytes) {
  const std::string hex = to_hex(crypto::view(digest));
  json::Writer out;
  out.begin_object().member("blob_id", "blob_sha256_" + hex).member("mime_type", mime_type).member("sha256", hex);
  out.member("size_bytes", size_bytes).end_object();
  return out.take();
}

Result<std::string> store_file(Tree& tree, EntryNo entry, std::string_view mime_type, Sink& sink) {
  const auto bytes = tree.open(entry);
  Result<std::string> reference = bytes ? sink.blob(mime_type, **bytes) : std::unexpected(bytes.error());
  if (reference || reference.error().code == Code::kCancelled) return reference;
  LADDER_CHECK(sink.lost({tree.entries()[entry].path, -1}, reference.error().message));
  return std::string();
}

void optional_time_member(json::Writer& out, std::string_view name, std::optional<Instant> time) {
  if (time) out.member(name, format_time(*time));
}

void write_document_members(json::Writer& out, const DocumentText& document) {
  if (!document.page_kind.empty()) {
    if (document.page_kind != "page") out.member("page_kind", document.page_kind);
    out.member("page_count", document.page_count);
  }
  if (document.page_kind == "page") out.member("scanned", document.is_scanned());
  if (!document.text.empty() && !document.page_kind.empty()) {
    out.key("pages").begin_array();
    for (std::size_t i = 0; i < document.pages.size(); ++i) {
      const PageRange& page = document.pages[i];
      out.begin_object().member("page", i + 1).member("start_chars", page.start_chars);
      out.member("end_chars", page.end_chars).optional_member("name", page.name).end_object();
    }
    out.end_array();
  }
  if (!document.without_text.empty() && !document.page_kind.empty()) {
    out.key("pages_without_text").begin_array();
    for (const std::int64_t page : document.without_text) out.number(page);
    out.end_array();
  }
  if (!document.recognized.empty()) {
    out.member("ocr", true).key("ocr_pages").begin_array();
    for (const std::int64_t page : document.recognized) out.number(page);
    out.end_array();
  }
  if (document.text_is_cut) out.member("text_is_cut", true);
  out.optional_member("problems", document.problems);
  out.optional_member("text_by", document.text_by);
}

Status report_document_losses(const DocumentText& document, std::string_view stream, const wire::FileLocation& place,
                              std::string_view which, Sink& sink) {
  for (const std::string& problem : document.problems) {
    // A file that is kept is not lost; its record says why there is no text.
    LADDER_CHECK(document.is_read ? sink.lost(place, format("{}{}", which, problem))
                                  : sink.skipped(stream, format("the text of a document: {} (the file is kept)", problem)));
  }
  for (std::size_t i = 0; document.page_kind == "page" && i < document.without_text.size(); ++i) {
    LADDER_CHECK(sink.skipped(stream, "a page without text, scanned or empty (its document names it)"));
  }
  return {};
}

}  // namespace ladder::imports
