// GET /v1/blobs/{blob_id}, with a Range: returns exactly the requested bytes, from this server or the target of its redirect. A
// server without range support sends the complete blob, and the part is extracted; a blob that is too large for that is a typed
// error.
#include "api/render/target.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "http/message/message.h"
#include "remote/redirect.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "blob";
constexpr int kWhole = 200;
constexpr int kPartial = 206;
constexpr int kRangeNotSatisfiable = 416;

std::optional<std::int64_t> number_in(std::string_view text) {
  const auto value = parse_number(text);
  return value && *value >= 0 ? value : std::nullopt;
}

// Parses "bytes 0-99/1000", or "bytes */1000" for an unsatisfiable range.
struct ContentRange {
  std::int64_t first = 0, count = 0, size = 0;
};

std::optional<ContentRange> content_range(const http::ClientResponse& response) {
  std::string_view text = http::trimmed(response.headers.get("Content-Range").value_or(""));
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto size = number_in(text.substr(slash + 1));
  const std::string_view range = text.substr(0, slash);
  if (!size) return std::nullopt;
  if (range == "*") return ContentRange{*size, 0, *size};
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_in(range.substr(0, dash)), last = number_in(range.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= *size) return std::nullopt;
  return ContentRange{*first, *last - *first + 1, *size};
}

void read_metadata(const http::ClientResponse& response, api::Blob& blob) {
  blob.mime_type = http::trimmed(response.headers.get("Content-Type").value_or(""));
  std::string_view tag = http::trimmed(response.headers.get("ETag").value_or(""));
  if (tag.size() > 2 && tag.starts_with("\"sha256:") && tag.ends_with('"')) blob.digest = tag.substr(1, tag.size() - 2);
}

// Extracts `length` bytes and the total size from a response, or returns the problem.
std::expected<void, std::string> take_bytes(http::ClientResponse& response, std::int64_t length, api::Blob& blob) {
  const std::int64_t received = std::ssize(response.body);
  if (response.status == kPartial) {  // a server may send less than requested
    const auto range = content_range(response);
    if (!range || range->first != blob.first_byte || range->count != received || received > length) {
      return std::unexpected("it contains another range than requested");
    }
    blob.size_bytes = range->size;
    blob.bytes = std::move(response.body);
    return {};
  }
  if (response.status != kWhole) {
    return std::unexpected(format("HTTP status {} is not a valid response to a read of bytes", response.status));
  }
  blob.size_bytes = received;
  if (blob.first_byte < received) {
    blob.bytes = response.body.substr(static_cast<std::size_t>(blob.first_byte), static_cast<std::size_t>(length));
  }
  return {};
}

// Returns the total size from the response to a read of the first byte.
std::optional<std::int64_t> size_in(const http::ClientResponse& response) {
  if (response.status == kWhole) return std::ssize(response.body);
  const auto range = content_range(response);
  const bool fits = range && (response.status == kPartial || (response.status == kRangeNotSatisfiable && range->size == 0));
  return fits ? std::optional(range->size) : std::nullopt;
}

http::ClientRequest read_of(const api::BlobRequest& request, std::int64_t first, std::int64_t count) {
  http::ClientRequest asked;
  asked.target = api::target_of(request);
  asked.headers.set("Range", format("bytes={}-{}", first, first + count - 1));
  return asked;
}

}  // namespace

Result<api::Blob> RemotePort::blob(const api::BlobRequest& request, std::stop_token stop) {
  const std::int64_t wanted = std::clamp<std::int64_t>(request.max_bytes, 0, api::kMaxBlobReadBytes);
  if (wanted == 0) return blob_metadata(request, stop);
  LADDER_TRY(auto response, exchange_.bytes(kOperation, read_of(request, request.first_byte, wanted), stop));
  if (response.status == kRangeNotSatisfiable) return blob_metadata(request, stop);  // past the end: get the metadata separately
  api::Blob blob;
  blob.blob_id = request.blob_id;
  blob.first_byte = request.first_byte;
  read_metadata(response, blob);
  if (const auto taken = take_bytes(response, wanted, blob); !taken) return exchange_.misunderstood(kOperation, taken.error());
  return blob;
}

Result<api::Blob> RemotePort::blob_metadata(const api::BlobRequest& request, const std::stop_token& stop) {
  http::ClientRequest asked;
  asked.target = api::target_of(request);
  asked.method = "HEAD";
  LADDER_TRY(auto response, exchange_.bytes(kOperation, asked, stop));
  std::optional<std::int64_t> size;
  if (is_redirect(response)) {  // the URL is signed for GET, so this reads the first byte instead of sending HEAD
    LADDER_TRY(response, exchange_.bytes(kOperation, read_of(request, 0, 1), stop));
    size = size_in(response);
  } else if (response.status == kWhole) {
    size = number_in(http::trimmed(response.headers.get("Content-Length").value_or("")));
  }
  if (!size) return exchange_.misunderstood(kOperation, "it does not report its size");
  api::Blob blob;
  blob.blob_id = request.blob_id;
  blob.first_byte = request.first_byte;
  blob.size_bytes = *size;
  if (response.status != kRangeNotSatisfiable)
    read_metadata(response, blob);  // the headers of an error response describe the error
  return blob;
}

}  // namespace ladder::remote
