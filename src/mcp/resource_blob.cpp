#include "mcp/resource_blob.h"

#include "base/base64.h"
#include "base/format.h"
#include "base/limits.h"
#include "evidence/blob_facts.h"
#include "evidence/bounds.h"
#include "json/pointer.h"
#include "json/scan.h"
#include "json/writer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"
#include "model/handle.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

// Bytes from first_byte on, and what is known of all of them.
struct Piece {
  std::string bytes;
  std::string mime_type, digest, blob_id;
  std::int64_t first_byte = 0;
  std::int64_t size_bytes = -1;  // unknown when negative
  bool has_more = false;
};

std::int64_t wanted_bytes(const model::BlobHandle& handle) {
  return std::min(handle.max_bytes.value_or(evidence::kBlobReadBytes), evidence::kBlobReadBytes);
}

Error named(Error error, const model::BlobHandle& handle) {
  ErrorDetails& details = error.details();
  if (details.record.empty()) details.record = model::format_record_id(handle.record);
  if (details.field_path.empty()) details.field_path = handle.field_path;
  return error;
}

std::unexpected<Error> not_bytes(const model::BlobHandle& handle) {
  return fail(Code::kInvalidRequest,
              format("{} holds neither a blob nor base64; read it with read_record_field", model::in_quotes(handle.field_path)),
              "field_path");
}

// base64 text stands in groups of four chars for three bytes, so that any byte is a division away.
Result<Piece> read_base64(const Context& context, const model::BlobHandle& handle, const evidence::FieldWindow& first) {
  Piece piece;
  piece.mime_type = first.mime_type;
  piece.digest = first.digest;
  const std::int64_t first_group = handle.first_byte / 3;
  const std::int64_t last_group = (handle.first_byte + wanted_bytes(handle) - 1) / 3;
  const std::int64_t end_chars = std::min((last_group + 1) * 4, first.size_chars);
  std::string text;
  for (std::int64_t at = first_group * 4; at < end_chars;) {
    port::FieldWindowRequest request{handle.record, handle.field_path, {}};
    request.window.offset_chars = at;
    request.window.limit_chars = std::min(limits::kWindowMaxChars, end_chars - at);
    LADDER_TRY(const auto window, context.port.field_window(request, context.stop));
    if (window.digest != first.digest || window.text.empty()) {
      return fail(Code::kStaleCursor, "the field changed while its bytes were read; read again from the first byte", "uri");
    }
    text += window.text;
    at += std::ssize(window.text);
  }
  const auto bytes = base64::decode(text);
  if (!bytes) return not_bytes(handle);
  const auto skipped = static_cast<std::size_t>(handle.first_byte - first_group * 3);
  piece.bytes = skipped < bytes->size() ? bytes->substr(skipped, static_cast<std::size_t>(wanted_bytes(handle))) : "";
  piece.first_byte = handle.first_byte;
  const bool at_end = end_chars == first.size_chars && skipped + piece.bytes.size() == bytes->size();
  if (at_end) piece.size_bytes = handle.first_byte + std::ssize(piece.bytes);
  piece.has_more = !at_end && !piece.bytes.empty();
  return piece;
}

Result<Piece> read_blob(const Context& context, const model::BlobHandle& handle, const evidence::BlobFacts& facts) {
  if (facts.blob_id.empty()) {
    return fail(
        Code::kBlobNotFound,
        format("{} names its bytes by an address of its own, and none are kept here", model::in_quotes(handle.field_path)),
        "field_path");
  }
  port::BlobRequest request;
  request.blob_id = facts.blob_id;
  request.scope.connection_id = handle.record.connection_id;
  request.first_byte = handle.first_byte;
  request.max_bytes = wanted_bytes(handle);
  LADDER_TRY(auto blob, context.port.blob(request, context.stop));
  Piece piece;
  piece.bytes = std::move(blob.bytes);
  piece.mime_type = blob.mime_type.empty() ? facts.mime_type : blob.mime_type;
  piece.digest = blob.digest;
  piece.blob_id = facts.blob_id;
  piece.first_byte = handle.first_byte;
  piece.size_bytes = blob.size_bytes;
  piece.has_more = !piece.bytes.empty() && handle.first_byte + std::ssize(piece.bytes) < blob.size_bytes;
  return piece;
}

// Servers that window strings only show an object with its record.
Result<std::string> object_text(const Context& context, const model::BlobHandle& handle) {
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(handle.field_path));
  port::RecordRequest request;
  request.record = handle.record;
  request.fields = {path.field};
  LADDER_TRY(const auto record, context.port.record(request, context.stop));
  const auto field = json::member(json::value_of(record.data).text, path.field);
  const auto value = field ? json::resolve(*field, path.nested) : std::nullopt;
  if (!value || value->kind != json::Kind::kObject) return not_bytes(handle);
  return std::string(value->text);
}

Result<Piece> read_piece(const Context& context, const model::BlobHandle& handle) {
  port::FieldWindowRequest request{handle.record, handle.field_path, {}};
  request.window.offset_chars = 0;
  request.window.limit_chars = limits::kWindowDefaultChars;
  auto window = context.port.field_window(request, context.stop);
  std::string object;
  if (!window && window.error().code != Code::kFieldNotText) return std::unexpected(std::move(window.error()));
  if (!window) {
    LADDER_TRY(object, object_text(context, handle));
  } else if (window->type == "object" && window->complete()) {
    object = window->text;
  } else if (!window->text_like || (window->type == "string" && model::looks_base64(window->text))) {
    return read_base64(context, handle, *window);
  } else {
    return not_bytes(handle);
  }
  const auto facts = evidence::blob_facts(object);
  if (!facts) return not_bytes(handle);
  return read_blob(context, handle, *facts);
}

std::string uri_at(model::BlobHandle handle, std::int64_t first_byte) {
  handle.first_byte = first_byte;
  return std::string(model::kBlobUriPrefix) + model::encode_blob_handle(handle);
}

std::string meta_of(const model::BlobHandle& handle, const Piece& piece, std::string_view uri) {
  json::Writer out;
  out.begin_object().key("dev.pdpp/resource").begin_object().member("uri", uri).key("next_uri");
  piece.has_more ? out.string(uri_at(handle, piece.first_byte + std::ssize(piece.bytes))) : out.null();
  out.key("previous_uri");
  const std::int64_t before = std::max<std::int64_t>(0, handle.first_byte - wanted_bytes(handle));
  handle.first_byte > 0 ? out.string(uri_at(handle, before)) : out.null();
  out.optional_member("mime_type", piece.mime_type).member("first_byte", piece.first_byte);
  out.member("byte_count", std::ssize(piece.bytes));
  if (piece.size_bytes >= 0) out.member("size_bytes", piece.size_bytes);
  out.member("complete", handle.first_byte == 0 && !piece.has_more);
  out.optional_member("blob_id", piece.blob_id).optional_member("digest", piece.digest);
  return out.end_object().end_object().take();
}

}  // namespace

Result<ResourceRead> read_blob_resource(const Context& context, std::string_view uri, std::string_view encoded) {
  LADDER_TRY(const model::BlobHandle handle, model::decode_blob_handle(encoded));
  auto piece = read_piece(context, handle);
  if (!piece) return std::unexpected(named(std::move(piece.error()), handle));
  const std::string type = piece->mime_type.empty() ? "application/octet-stream" : piece->mime_type;
  ResourceRead read;
  read.items.push_back({std::string(uri), type, {}, base64::encode(piece->bytes)});
  read.meta = meta_of(handle, *piece, uri);
  return read;
}

}  // namespace ladder::mcp
