// Percent coding in handles and identifiers: of valid UTF-8.
#include "base/utf8.h"
#include "model/handle.h"

namespace ladder::model {

Result<std::string> percent_decode(std::string_view text) {
  std::optional<std::string> decoded = percent_decode_bytes(text);
  if (!decoded) return fail(Code::kInvalidHandle, "a % stands without its two hexadecimal digits; write %25 for a plain %");
  if (!utf8::is_valid(*decoded)) return fail(Code::kInvalidHandle, "the percent-encoded bytes are not valid UTF-8");
  return *std::move(decoded);
}

}  // namespace ladder::model
