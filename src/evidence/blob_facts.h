// Objects that stand for bytes kept elsewhere, told by their shape and never by a field's name (contract 3.4, 3.9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::evidence {

struct BlobFacts {
  std::string blob_id;
  std::string fetch_url;
  std::string mime_type;
  std::string digest;
  std::int64_t size_bytes = -1;  // unknown when negative
};

// Of checked JSON object text: it has a blob_id, or a MIME type together with an address, a size or a digest.
std::optional<BlobFacts> blob_facts(std::string_view object_text);

}  // namespace ladder::evidence
