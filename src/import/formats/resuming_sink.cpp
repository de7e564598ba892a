#include "import/formats/resuming_sink.h"

#include "import/formats/record_members.h"
#include "import/text/mime_type.h"

#include <array>
#include <memory>

namespace ladder::imports {

Status ResumingSink::record(const Record& record) {
  if (is_sent()) return {};
  LADDER_CHECK(to_.record(record));
  return number_ % kCheckpointEvery == 0 ? checkpoint({}) : Status{};
}

Result<std::string> ResumingSink::blob(std::string_view mime_type, Bytes& bytes) {
  if (number_ >= from_) return to_.blob(mime_type, bytes);
  // Its record was sent: only the reference is needed.
  const auto piece = std::make_unique<std::array<char, 64 * limits::kKiB>>();
  crypto::Sha256 hash;
  std::int64_t size = 0;
  for (;;) {
    LADDER_TRY(const std::size_t count, bytes.read(piece->data(), piece->size()));
    if (count == 0) return blob_ref(hash.finish(), fit_mime_type(mime_type), size);
    hash.update(std::string_view(piece->data(), count));
    size += static_cast<std::int64_t>(count);
    if (size > static_cast<std::int64_t>(limits::kMaxBlobBytes)) return fail(Code::kResourceLimit, "it is too large to store");
  }
}

Status ResumingSink::lost(const wire::FileLocation& at, std::string_view reason) {
  return is_sent() ? Status{} : to_.lost(at, reason);
}

Status ResumingSink::skipped(std::string_view stream, std::string_view reason) {
  return is_sent() ? Status{} : to_.skipped(stream, reason);
}

Status ResumingSink::checkpoint(std::string_view) { return number_ < from_ ? Status{} : to_.checkpoint(std::to_string(number_)); }

}  // namespace ladder::imports
