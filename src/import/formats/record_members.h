// Ids of records whose export has none that could serve as a key.
#pragma once

#include "crypto/hash.h"
#include "import/child/sink.h"
#include "import/text/pdf.h"
#include "json/writer.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ladder::imports {

// The first 32 hex digits of SHA-256 over the texts and their lengths.
std::string digest_id(std::initializer_list<std::string_view> texts);

// The field `blob_ref` of a record, as the store reads it.

// {"blob_id":"blob_sha256_…","mime_type":…,"sha256":"sha256:…","size_bytes":…}
std::string blob_ref(const crypto::Digest& digest, std::string_view mime_type, std::int64_t size_bytes);

// Writes the members that every record made from a PDF has: its pages, the ones without text, what went wrong; and the same for
// the account.

// page_count, scanned, pages, pages_without_text, text_is_cut, problems, text_by; not the text itself.
void write_pdf_members(json::Writer& out, const Pdf& pdf);

// Each problem is a loss; pages without text are counted as skipped. `which` stands before each reason when it is not "": what of
// the place is meant.
Status tell_pdf_losses(const Pdf& pdf, std::string_view stream, const imports::wire::Place& place, std::string_view which,
                       Sink& sink);

}  // namespace ladder::imports
