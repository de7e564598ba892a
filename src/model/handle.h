// Handles inside pdpp:// URIs: base64url of a self-contained id, of [id, field path, offset], or of JSON
// {"v":1,"kind":…} for all other cases. They identify, they never authorize; every shape, type, range and length is
// checked before any read (design D6, D11). Unknown keys are errors.
#pragma once

#include "base/error/error.h"
#include "base/text/percent.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

inline constexpr std::string_view kRecordUriPrefix = "pdpp://record/";
inline constexpr std::string_view kFieldWindowUriPrefix = "pdpp://field-window/";
inline constexpr std::string_view kBlobUriPrefix = "pdpp://blob/";
inline constexpr std::string_view kStreamUriPrefix = "pdpp://stream/";

struct FieldWindowHandle {
  RecordRef record;
  std::string field_path;
  WindowArguments window;
};

// The bytes of a field: of the blob that it names, or of its base64 content.
struct BlobHandle {
  RecordRef record;
  std::string field_path;
  std::int64_t first_byte = 0;
  std::optional<std::int64_t> max_bytes = {};  // default: as many as one read returns
};

std::string encode_record_handle(const RecordRef& record);
std::string encode_field_window_handle(const FieldWindowHandle& handle);
std::string encode_blob_handle(const BlobHandle& handle);

// For the handle without its URI prefix. kInvalidHandle. A record handle may also be a percent-encoded self-contained
// or legacy id, as some servers write them. In a handle any record key except "." and ".." is allowed.
Result<RecordRef> decode_record_handle(std::string_view handle);
Result<FieldWindowHandle> decode_field_window_handle(std::string_view handle);
Result<BlobHandle> decode_blob_handle(std::string_view handle);

// Decoding rejects malformed escapes and invalid UTF-8.
using ladder::percent_encode;
Result<std::string> percent_decode(std::string_view text);

}  // namespace ladder::model
