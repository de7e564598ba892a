// The content ladder's entries (PDPP "content ladder"): for each field that is shown in part, or not at all, what it is, how much
// of it is shown and where reading goes on. An adapter adds its own way of reading.
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

// The point at which a reader continues: at a character, at the first match of a text if no character is known, or with the whole
// record.
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
  std::int64_t size_chars = -1;  // unknown when negative
  std::int64_t size_bytes = -1;  // of a binary value; unknown when negative
  std::optional<CharRange> preview = {};
  std::optional<BlobFacts> blob = {};  // the field stands for bytes kept elsewhere
  Resume resume = {};

  bool is_binary() const { return status == PreviewStatus::kBinaryOnly; }
  bool is_json() const { return type == "object" || type == "array"; }
};

// A bounded part of a field in which a search has proven its words.
struct Excerpt {
  std::string field_path;
  std::string preview_text;
  PreviewStatus status = PreviewStatus::kTruncated;
  std::optional<CharRange> range = {};  // of the field, where it is known
  std::int64_t size_chars = -1;         // of the field
  Resume resume = {};
};

struct LadderRecord {
  model::RecordRef ref;
  std::vector<LadderField> fields = {};
  std::vector<Excerpt> excerpts = {};
  bool unavailable = false;  // there is no preview of anything
};

LadderField ladder_field(const CutField& cut);

// The blob references inside checked data, wherever they are nested; `most` of them.
std::vector<LadderField> blobs_in(std::string_view data, std::size_t most);

}  // namespace ladder::api
