// GET /v1/blobs/{blob_id}, with a Range: as many bytes as were asked for. A server without ranges sends the whole, and the part
// is taken from it; one that is too large for that is a typed error.
#include "base/format.h"
#include "http/syntax.h"
#include "port/target.h"
#include "remote/remote_port.h"

#include <algorithm>
#include <charconv>

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "blob";
constexpr int kPartial = 206;
constexpr int kRangeNotSatisfiable = 416;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "bytes 0-99/1000", or "bytes */1000" for a range outside.
struct ContentRange {
  std::int64_t first = 0, size = 0;
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
  if (range == "*") return ContentRange{*size, *size};
  const auto first = number_in(range.substr(0, range.find('-')));
  return first ? std::optional(ContentRange{*first, *size}) : std::nullopt;
}

void read_facts(const http::ClientResponse& response, port::Blob& blob) {
  blob.mime_type = http::trimmed(response.headers.get("Content-Type").value_or(""));
  std::string_view tag = http::trimmed(response.headers.get("ETag").value_or(""));
  if (tag.size() > 2 && tag.starts_with("\"sha256:") && tag.ends_with('"')) blob.digest = tag.substr(1, tag.size() - 2);
}

}  // namespace

Result<port::Blob> RemotePort::blob(const port::BlobRequest& request, std::stop_token stop) {
  LADDER_CHECK(refuse_owner());
  const std::int64_t wanted = std::clamp<std::int64_t>(request.max_bytes, 0, port::kMaxBlobReadBytes);
  http::ClientRequest asked;
  asked.target = port::target_of(request);
  asked.method = wanted == 0 ? "HEAD" : "GET";
  if (wanted > 0) {
    asked.headers.set("Range", format("bytes={}-{}", request.first_byte, request.first_byte + wanted - 1));
  }
  LADDER_TRY(const auto response, exchange_.bytes(kOperation, asked, stop));

  port::Blob blob;
  blob.blob_id = request.blob_id;
  blob.first_byte = request.first_byte;
  if (response.status == kRangeNotSatisfiable) {  // past its end: what it is stands in another answer
    if (wanted == 0) return exchange_.misunderstood(kOperation, "no range was asked for");
    port::BlobRequest facts = request;
    facts.max_bytes = 0;
    return this->blob(facts, stop);
  }
  read_facts(response, blob);
  if (wanted == 0) {
    const auto size = number_in(http::trimmed(response.headers.get("Content-Length").value_or("")));
    if (!size) return exchange_.misunderstood(kOperation, "it does not say how long it is");
    blob.size_bytes = *size;
    return blob;
  }
  const auto length = static_cast<std::size_t>(wanted);
  if (response.status == kPartial) {
    const auto range = content_range(response);
    if (!range || range->first != request.first_byte || response.body.size() > length) {
      return exchange_.misunderstood(kOperation, "it holds another range than was asked for");
    }
    blob.size_bytes = range->size;
    blob.bytes = response.body;
  } else if (response.status == 200) {
    blob.size_bytes = std::ssize(response.body);
    if (request.first_byte < blob.size_bytes) {
      blob.bytes = response.body.substr(static_cast<std::size_t>(request.first_byte), length);
    }
  } else {
    return exchange_.misunderstood(kOperation, format("HTTP status {} is no answer to a read of bytes", response.status));
  }
  return blob;
}

}  // namespace ladder::remote
