// Record members that several formats write.
#pragma once

#include "crypto/hash.h"
#include "import/document/document_text.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"
#include "json/writer.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::imports {

// An id for records without a usable key: the first 32 hex digits of SHA-256 over the texts and their lengths.
std::string digest_id(std::initializer_list<std::string_view> texts);

// Ids of records that have none: derived from these texts, and numbered if they are equal. The numbers depend on the order of
// the records.
class DerivedIds {
 public:
  std::string next(std::initializer_list<std::string_view> texts) { return number(digest_id(texts)); }
  // Returns the id, with a number if it was given before.
  std::string number(std::string id);

 private:
  std::unordered_map<std::uint64_t, int> counts_;  // by the start of the id's digest
};

// Returns the record field `blob_ref` as the store expects it:
// {"blob_id":"blob_sha256_…","mime_type":…,"sha256":"sha256:…","size_bytes":…}
std::string blob_ref(const crypto::Digest& digest, std::string_view mime_type, std::int64_t size_bytes);

// Stores a file of the tree as a blob and returns its blob_ref. If that fails, reports the file as lost and returns "".
Result<std::string> store_file(Tree& tree, EntryNo entry, std::string_view mime_type, Sink& sink);

void optional_time_member(json::Writer& out, std::string_view name, std::optional<Instant> time);

// Writes the members of every record made from a document: page_kind, page_count, scanned, pages, pages_without_text,
// text_is_cut, problems and text_by, but not the text.
void write_document_members(json::Writer& out, const DocumentText& document);

// Reports each problem as lost, and counts pages without text as skipped. `which`, if not "", is a prefix of each reason that
// names the part concerned.
Status report_document_losses(const DocumentText& document, std::string_view stream, const wire::FileLocation& place,
                              std::string_view which, Sink& sink);

}  // namespace ladder::imports
