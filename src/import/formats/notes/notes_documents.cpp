#include "import/formats/notes/notes_documents.h"

#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/record_members.h"
#include "import/io/limits.h"
#include "import/office/read_document.h"
#include "import/text/mime_type.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::imports::notes {
namespace {

constexpr std::size_t kIdDigits = 32;  // hex digits of the SHA-256

// Returns the id of a document: the start of its blob's digest.
std::string id_of(std::string_view reference) {
  const auto sha256 = json::member(reference, "sha256");
  return sha256 ? std::string(sha256->text.substr(1, kIdDigits)) : std::string();
}

std::optional<Instant> document_time(const DocumentText& document, const Entry& entry) {
  if (document.modified) return document.modified;
  return document.created ? document.created : entry.modified;
}

}  // namespace

Documents::Documents(Tree& tree, const std::vector<EntryNo>& entries, Sink& sink,
                     std::function<std::string_view(const Entry&)> name_of)
    : tree_(tree), sink_(sink), name_of_(std::move(name_of)) {
  for (const EntryNo entry : entries) by_size_[tree.entries()[entry].size].push_back(entry);
}

Status Documents::take(EntryNo entry) {
  const std::vector<EntryNo> copies = alike(entry);
  if (copies.front() != entry) return sink_.skipped("documents", "a copy of the same file (its document names it)");
  return send(entry, copies);
}

std::string Documents::digest(EntryNo entry) {
  if (const auto known = digests_.find(entry); known != digests_.end()) return known->second;
  crypto::Sha256 hash;
  auto bytes = tree_.open(entry);
  std::array<char, 64 * limits::kKiB> piece;
  Result<std::size_t> count = std::size_t{1};
  while (bytes && count && *count > 0) {
    count = (*bytes)->read(piece.data(), piece.size());
    if (count) hash.update(std::string_view(piece.data(), *count));
  }
  return digests_[entry] = bytes && count ? crypto::digest_text(hash.finish()) : std::string();
}

std::vector<EntryNo> Documents::alike(EntryNo entry) {
  std::vector<EntryNo> same = by_size_[tree_.entries()[entry].size];
  if (same.size() == 1) return same;
  const std::string mine = digest(entry);
  std::erase_if(same, [&](EntryNo other) { return other != entry && (mine.empty() || digest(other) != mine); });
  return same;
}

// Stores the bytes as a blob and extracts the text. The blob is kept even if the text is unreadable.
Result<DocumentText> Documents::read(EntryNo entry, std::string& reference) {
  const std::string_view name = tree_.entries()[entry].name();
  const std::string_view type = mime_type_of(name);
  if (tree_.entries()[entry].size > static_cast<std::int64_t>(limits::kMaxPdfBytes)) {
    LADDER_TRY(const auto bytes, tree_.open(entry));
    LADDER_TRY(reference, sink_.blob(type, *bytes));
    DocumentText none;
    if (type != "application/pdf") none.page_kind.clear();
    none.problems.push_back(format("it is larger than the {} bytes up to which text is extracted", limits::kMaxPdfBytes));
    return none;
  }
  LADDER_TRY(const std::string bytes, tree_.read(entry, limits::kMaxPdfBytes));
  BytesInMemory in_memory(bytes);
  LADDER_TRY(reference, sink_.blob(type, in_memory));
  return read_document(bytes, limits::kMaxPdfTextBytes);
}

Status Documents::send(EntryNo number, const std::vector<EntryNo>& copies) {
  const Entry& entry = tree_.entries()[number];
  std::string reference;
  const auto document = read(number, reference);
  if (!document) {
    if (document.error().code == Code::kCancelled) return std::unexpected(document.error());
    return sink_.lost({entry.path, -1}, document.error().message);
  }
  LADDER_CHECK(report_document_losses(*document, "documents", {entry.path, -1}, "", sink_));
  return sink_.record(
      {"documents", record(entry, *document, reference, copies), {entry.path, 0}, document_time(*document, entry)});
}

std::string Documents::record(const Entry& entry, const DocumentText& document, std::string_view reference,
                              const std::vector<EntryNo>& copies) const {
  const std::string_view path = name_of_(entry);
  json::Writer out;
  out.begin_object().member("id", id_of(reference)).member("path", path);
  if (copies.size() > 1) {
    out.key("copies").begin_array();
    for (std::size_t i = 1; i < copies.size(); ++i) out.string(name_of_(tree_.entries()[copies[i]]));
    out.end_array();
  }
  out.member("title", document.title.empty() ? without_extension(entry.name()) : document.title);
  const std::string_view kind = document_kind(entry.name(), {});
  out.member("folder", parent_folder(path)).member("kind", kind.empty() ? "picture" : kind);
  out.optional_member("author", document.author)
      .optional_member("subject", document.subject)
      .optional_member("keywords", document.keywords);
  optional_time_member(out, "created_at", document.created);
  if (const auto time = document_time(document, entry)) out.member("modified_at", format_time(*time));
  else out.key("modified_at").null();
  write_document_members(out, document);
  out.member("size_bytes", entry.size).key("blob_ref").raw(reference);
  out.optional_member("text", document.text).end_object();
  return out.take();
}

}  // namespace ladder::imports::notes
