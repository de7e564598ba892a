// One bounded window of one field: what every adapter shows, in its own rendering (seed 000, contract 7.4).
#pragma once

#include "model/record_id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::evidence {

struct Match {
  std::string q;
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
};

struct FieldWindow {
  model::RecordRef record;

  std::string path;             // as asked for
  std::string type;             // "string", "object" or "array"
  std::string mime_type;        // empty when unknown
  bool text_like = true;        // false for base64
  std::int64_t size_chars = 0;  // of the whole field
  std::string digest;           // "sha256:…" of the whole field's UTF-8 bytes; empty when a remote server gives none

  std::string text;
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  std::int64_t limit_chars = 0;
  std::optional<Match> match;
  std::string next_cursor;        // empty when the window reaches the end
  std::string previous_cursor;    // empty when it starts at the start
  std::string next_match_cursor;  // after a match: reads the next one, or answers query_not_found

  bool complete() const { return start_chars == 0 && end_chars >= size_chars; }
  bool has_more() const { return end_chars < size_chars; }
};

// The body of GET …/field-window, without `links` and `meta`, which belong to the route.
std::string to_json(const FieldWindow& window);

}  // namespace ladder::evidence
