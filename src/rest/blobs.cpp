#include "rest/blobs.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "http/message/message.h"
#include "rest/arguments.h"
#include "rest/handlers.h"
#include "server/read/reads.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ladder::rest {
namespace {

constexpr std::string_view kUnit = "bytes=";

// Clamps to the maximum, which exceeds the size of any blob.
std::int64_t number(std::string_view digits) { return parse_number(digits).value_or(std::numeric_limits<std::int64_t>::max()); }

ByteRange last_bytes(std::int64_t count, std::int64_t size) {
  if (count == 0 || size == 0) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  const std::int64_t length = std::min(count, size);
  return {ByteRange::Kind::kPart, size - length, length};
}

}  // namespace

ByteRange byte_range(std::optional<std::string_view> range_header, std::int64_t size) {
  const ByteRange whole{ByteRange::Kind::kWhole, 0, size};
  if (!range_header || range_header->size() <= kUnit.size()) return whole;
  if (!http::equal_without_case(range_header->substr(0, kUnit.size()), kUnit)) return whole;
  const std::string_view spec = http::trimmed(range_header->substr(kUnit.size()));
  const auto dash = spec.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view first = spec.substr(0, dash), last = spec.substr(dash + 1);
  if (first.empty()) return http::is_digits(last) ? last_bytes(number(last), size) : whole;
  if (!http::is_digits(first) || (!last.empty() && !http::is_digits(last))) return whole;
  const std::int64_t from = number(first);
  const std::int64_t to = last.empty() ? size - 1 : std::min(number(last), size - 1);
  if (!last.empty() && number(last) < from) return whole;
  if (from >= size) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  return {ByteRange::Kind::kPart, from, to - from + 1};
}

bool names_etag(std::string_view header, std::string_view etag) {
  if (http::trimmed(header) == "*") return true;
  for (auto open = header.find('"'); open != std::string_view::npos; open = header.find('"', open)) {
    const auto close = header.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    if (header.substr(open, close + 1 - open) == etag) return true;
    open = close + 1;
  }
  return false;
}

std::string bare_type(std::string_view type) {
  std::string bare(http::media_type(type));
  std::ranges::transform(bare, bare.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return bare;
}

// Blobs over HTTP (PDPP "blobs"): streamed in pieces, complete or as one range.

namespace {

using http::Response;

constexpr std::int64_t kPieceBytes = std::min<std::int64_t>(1 << 20, api::kMaxBlobReadBytes);  // memory used per response

// Types that a browser may display inline. All others are downloads, since they might contain scripts (PDPP "blobs").
constexpr std::array<std::string_view, 9> kInlineTypes = {"application/pdf", "image/avif", "image/bmp",
                                                          "image/gif",       "image/jpeg", "image/png",
                                                          "image/tiff",      "image/webp", "image/x-icon"};

// Reads bytes of a blob from `first` on, up to the limit of one read. Every read checks the caller's access again.
Result<std::string> read_piece(server::Reads& reads, const server::Access& who, api::BlobRequest request, std::int64_t first,
                               std::int64_t length) {
  request.first_byte = first;
  request.max_bytes = std::min(length, kPieceBytes);
  request.bytes_to_follow = length - request.max_bytes;
  LADDER_TRY(auto blob, reads.blob(who, request));
  if (blob.bytes.empty()) return fail(Code::kStoreUnavailable, "the blob was removed while it was read; try again");
  return std::move(blob.bytes);
}

class BlobStream final : public http::BodyStream {
 public:
  BlobStream(server::Reads& reads, server::Access who, api::BlobRequest request, std::int64_t first, std::int64_t length,
             std::string first_piece)
      : reads_(reads),
        who_(std::move(who)),
        request_(std::move(request)),
        at_(first),
        left_(length),
        first_piece_(std::move(first_piece)) {}

  Result<bool> next(std::string& piece) override {
    if (left_ == 0) return false;
    if (!first_piece_.empty()) {
      piece = std::exchange(first_piece_, {});
    } else {
      LADDER_TRY(piece, read_piece(reads_, who_, request_, at_, left_));
    }
    at_ += std::ssize(piece);
    left_ -= std::ssize(piece);
    return true;
  }

 private:
  server::Reads& reads_;
  server::Access who_;
  api::BlobRequest request_;
  std::int64_t at_, left_;
  std::string first_piece_;
};

std::string etag_of(const api::Blob& blob) { return "\"" + blob.digest + "\""; }

void set_headers(http::Headers& headers, const api::Blob& blob) {
  headers.set("ETag", etag_of(blob));
  headers.set("Accept-Ranges", "bytes");
  headers.set("Content-Type", blob.mime_type.empty() ? "application/octet-stream" : blob.mime_type);
  headers.set("X-Content-Type-Options", "nosniff");
  if (std::ranges::find(kInlineTypes, bare_type(blob.mime_type)) == kInlineTypes.end()) {
    headers.set("Content-Disposition", "attachment");
  }
}

// A range applies only if the blob still has the content it was meant for.
ByteRange wanted(const http::Request& request, const api::Blob& blob) {
  const auto condition = request.headers.get("If-Range");
  const bool applies = request.headers.count("Range") == 1 && (!condition || http::trimmed(*condition) == etag_of(blob));
  return byte_range(applies ? request.headers.get("Range") : std::nullopt, blob.size_bytes);
}

bool is_known(const http::Request& request, const api::Blob& blob) {
  return std::ranges::any_of(request.headers.all(), [&](const auto& field) {
    return http::equal_without_case(field.first, "If-None-Match") && names_etag(field.second, etag_of(blob));
  });
}

}  // namespace

Answer BlobHandlers::blob(const Call& call) const {
  std::vector<api::Warning> warnings;
  api::BlobRequest request;
  request.blob_id = call.match.at("blob");
  LADDER_TRY(request.scope.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  request.scope.connector_key = connector.value_or("");
  LADDER_TRY(const api::Blob facts, reads.blob(call.who(), request));
  Response response;
  response.headers.set("Cache-Control", "private, no-store");
  if (!warnings.empty()) response.headers.set("PDPP-Warning", "deprecated_alias_used: connector_instance_id");
  if (is_known(call.request, facts)) {
    response.status = 304;
    response.headers.set("ETag", etag_of(facts));
    return response;
  }
  const ByteRange range = wanted(call.request, facts);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    Response refused = http::refusal(416, format("the blob has {} bytes", facts.size_bytes), call.request.id);
    refused.headers.set("Content-Range", format("bytes */{}", facts.size_bytes));
    return refused;
  }
  set_headers(response.headers, facts);
  if (range.kind == ByteRange::Kind::kPart) {
    response.status = 206;
    response.headers.set("Content-Range",
                         format("bytes {}-{}/{}", range.first, range.first + range.length - 1, facts.size_bytes));
  }
  response.content_length = static_cast<std::uint64_t>(range.length);
  if (call.request.method == "HEAD" || range.length == 0) return response;
  // Reads the first piece before the response starts, so that an exhausted budget can still be reported as an error.
  LADDER_TRY(std::string piece, read_piece(reads, call.who(), request, range.first, range.length));
  if (std::ssize(piece) == range.length) {
    response.body = std::move(piece);
    return response;
  }
  response.stream = std::make_unique<BlobStream>(reads, call.who(), request, range.first, range.length, std::move(piece));
  return response;
}

}  // namespace ladder::rest
