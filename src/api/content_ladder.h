// Entries of the content ladder (PDPP "content ladder"): for each field shown partially or not at all, its metadata,
// how much is shown, and where to continue reading. Each adapter adds its own way of reading.
#pragma once

#include "api/blob.h"
#include "api/preview.h"
#include "model/record_id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

// The position to continue reading: at a character, at the first match of a text if no character is known, or with the
// complete record.
struct Resume {
  std::int64_t offset_chars = 0;
  std::string q = {};
  bool whole_record = false;
};

struct LadderField {
  std::string path;
  std::string type;  // string, object, array; empty when unknown
  std::string mime_type;
  std::string digest;
  bool text_like = true;
  PreviewStatus status = PreviewStatus::kTruncated;
  std::int64_t size_chars = -1;  // negative: unknown
  std::int64_t size_bytes = -1;  // of a binary value; negative: unknown
  std::optional<CharRange> preview = {};
  std::optional<BlobReference> blob = {};  // the field refers to bytes stored elsewhere
  Resume resume = {};

  bool is_binary() const { return status == PreviewStatus::kBinaryOnly; }
  bool is_json() const { return type == "object" || type == "array"; }
};

// A bounded part of a field that contains the search words.
struct Excerpt {
  std::string field_path;
  std::string preview_text;
  PreviewStatus status = PreviewStatus::kTruncated;
  std::optional<CharRange> range = {};  // of the field, if known
  std::int64_t size_chars = -1;         // of the field
  Resume resume = {};
};

struct LadderRecord {
  model::RecordRef ref;
  std::vector<LadderField> fields = {};
  std::vector<Excerpt> excerpts = {};
  bool unavailable = false;  // no preview exists
};

LadderField ladder_field(const CutField& cut);

// Returns up to `most` blob references inside valid JSON data, at any depth.
std::vector<LadderField> blobs_in(std::string_view data, std::size_t most);

}  // namespace ladder::api
