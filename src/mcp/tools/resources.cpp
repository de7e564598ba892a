#include "mcp/tools/resources.h"

#include "api/blob.h"
#include "api/preview.h"
#include "api/render/render.h"
#include "api/render/target.h"
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "mcp/render/budget.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/error_text.h"
#include "mcp/render/record_answer.h"
#include "mcp/render/window_answer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"
#include "model/handle.h"
#include "model/quote.h"

#include <algorithm>
#include <map>

namespace ladder::mcp {
namespace {

constexpr std::string_view kJson = "application/json";

Result<ResourceRead> read_window_resource(const Context& context, std::string_view uri, std::string_view handle) {
  LADDER_TRY(const model::FieldWindowHandle asked, model::decode_field_window_handle(handle));
  auto shown = read_window(context, {asked.record, asked.field_path, asked.window});
  if (!shown) {
    Error error = std::move(shown.error());
    ErrorDetails& details = error.details();
    if (details.record.empty()) details.record = model::format_record_id(asked.record);
    if (details.field_path.empty()) details.field_path = asked.field_path;
    return std::unexpected(std::move(error));
  }
  ResourceRead read;
  read.items.push_back({std::string(uri), "text/plain", std::move(shown->result.text), {}});
  read.items.push_back({std::string(uri), std::string(kJson), window_json(shown->answer, true), {}});
  read.meta = window_meta(shown->answer);
  return read;
}

// Returns the record as the resource server sends it, with long strings truncated and the calls that continue.
std::string record_json(const api::Record& record, const std::string& self, const api::LadderRecord& ladder) {
  std::string body = api::render(record, {.self = self});
  if (ladder.fields.empty()) return body;
  json::Writer more;
  more.begin_object().key("resources").begin_array();
  for (const api::LadderField& field : ladder.fields) {
    more.begin_object().member("field_path", field.path).member("preview_status", api::word_of(field.status));
    more.optional_member("mime_type", field.mime_type);
    more.member("uri", field.is_binary() ? blob_uri(record.ref, field.path) : window_uri(record.ref, field.path, field.resume));
    more.end_object();
  }
  more.end_array().end_object();
  body.back() = ',';  // the object continues
  return body.append(more.text().substr(1));
}

Result<ResourceRead> read_record_resource(const Context& context, std::string_view uri, std::string_view handle) {
  LADDER_TRY(const model::RecordRef asked, model::decode_record_handle(handle));
  api::RecordRequest request;
  request.record = asked;
  request.max_field_chars = api::kDocumentFieldChars;
  request.max_bytes = static_cast<std::int64_t>(context.options.result_bytes);
  LADDER_TRY(auto record, context.port.record(request, context.stop));
  if (record.ref.connection_id.empty()) record.ref.connection_id = asked.connection_id;
  const std::string self = api::target_of(request);
  for (std::int64_t chars = api::kDocumentFieldChars;; chars /= 4) {
    trim_record(record, chars);
    const api::LadderRecord ladder = ladder_of(record);
    std::string body = record_json(record, self, ladder);
    if (kResultFrameBytes + escaped_bytes(body) <= context.options.result_bytes) {
      return ResourceRead{{{std::string(uri), std::string(kJson), std::move(body), {}}}, {}};
    }
    if (chars < 16) break;
  }
  return fail(Code::kResourceLimit,
              format("the record does not fit into {} bytes; read its fields one by one", context.options.result_bytes), "uri");
}

// Keeps every source that has the stream, and only that stream.
api::SchemaView of_stream(api::SchemaView schema, const std::string& name) {
  for (api::SourceView& source : schema.sources) {
    std::erase_if(source.streams, [&](const api::StreamView& stream) { return stream.name != name; });
  }
  std::erase_if(schema.sources, [](const api::SourceView& source) { return source.streams.empty(); });
  return schema;
}

Result<ResourceRead> read_stream_resource(const Context& context, std::string_view uri, std::string_view encoded) {
  LADDER_TRY(const std::string name, model::percent_decode(encoded));
  if (!model::is_safe_name(name)) {
    return fail(Code::kInvalidHandle, format("{} is no stream's name", model::in_quotes(name)), "uri");
  }
  auto found = context.port.schema({name, "", true, false}, context.stop);
  const bool is_ambiguous =
      !found && (found.error().code == Code::kAmbiguousSchemaDetail || found.error().code == Code::kAmbiguousConnection);
  if (is_ambiguous) found = context.port.schema({name, "", false, false}, context.stop);
  if (!found) return std::unexpected(std::move(found).error());
  const api::SchemaView schema = of_stream(*std::move(found), name);
  if (schema.sources.empty()) {
    return fail(Code::kStreamNotAllowed, format("no granted stream is named {}", model::in_quotes(name)), "uri");
  }
  const api::SourceView& source = schema.sources.front();
  const bool is_one = schema.sources.size() == 1 && source.streams.size() == 1;
  const std::string self = "/v1/streams/" + std::string(encoded);
  std::string body = is_one ? api::render_stream(source, source.streams.front(), {.self = self})
                            : api::render_schema(schema, api::SchemaForm::kFull, true, {.self = self});
  if (kResultFrameBytes + escaped_bytes(body) > context.options.result_bytes) {
    body = api::render_schema(schema, api::SchemaForm::kCompact, true, {.self = self});
  }
  if (kResultFrameBytes + escaped_bytes(body) > context.options.result_bytes) {
    return fail(Code::kResourceLimit,
                format("the stream's metadata is over {} bytes; use the schema tool", context.options.result_bytes), "uri");
  }
  return ResourceRead{{{std::string(uri), std::string(kJson), std::move(body), {}}}, {}};
}

ResourceFailure::Kind kind_of(const Error& error) {
  switch (error.code) {
    case Code::kInvalidHandle:
    case Code::kInvalidId:
    case Code::kInvalidFieldPath:
    case Code::kInvalidWindow:
      return ResourceFailure::Kind::kMalformed;
    case Code::kInternal:
    case Code::kDamagedData:
    case Code::kStoreUnavailable:
    case Code::kRateLimited:
    case Code::kDeadline:
    case Code::kCancelled:
    case Code::kNotSetUp:
    case Code::kRsUnreachable:
    case Code::kRsTimeout:
    case Code::kRsProtocol:
      return ResourceFailure::Kind::kInternal;
    default:
      return error.http_status() == 404 ? ResourceFailure::Kind::kNotFound : ResourceFailure::Kind::kRefused;
  }
}

ResourceFailure failure_of(const Error& error, std::string_view uri, std::string_view kind) {
  json::Writer data;
  data.begin_object().optional_member("uri", uri).optional_member("kind", kind);
  write_error(data, error, std::nullopt);
  data.end_object();
  return {kind_of(error), error.message, data.take(), std::string(error.wire())};
}

struct Template {
  std::string_view prefix, kind;
  Result<ResourceRead> (*read)(const Context& context, std::string_view uri, std::string_view handle);
};

constexpr Template kTemplates[] = {
    {model::kStreamUriPrefix, "stream", read_stream_resource},
    {model::kRecordUriPrefix, "record", read_record_resource},
    {model::kFieldWindowUriPrefix, "field-window", read_window_resource},
    {model::kBlobUriPrefix, "blob", read_blob_resource},
};

}  // namespace

const std::vector<ResourceTemplate>& resource_templates() {
  static const std::vector<ResourceTemplate> templates = {
      {"pdpp://stream/{name}", "pdpp-stream", "Stream metadata", "What a granted stream holds and what may be asked of it.",
       std::string(kJson)},
      {"pdpp://record/{handle}", "pdpp-record", "Record", "One record, long values cut with the URI that reads on.",
       std::string(kJson)},
      {"pdpp://field-window/{handle}", "pdpp-field-window", "Field window",
       "A bounded window of one field, the same as read_record_field gives, with next and previous URIs.", "text/plain"},
      {"pdpp://blob/{handle}", "pdpp-blob", "Blob bytes",
       "Up to 24 KiB of the bytes behind a field, with next and previous URIs.", "application/octet-stream"},
  };
  return templates;
}

Result<std::string> list_resources(const Context& context) {
  api::SchemaRequest request;
  request.counted = false;
  LADDER_TRY(const api::SchemaView schema, context.port.schema(request, context.stop));
  std::map<std::string, std::string> sources_by_stream;
  for (const api::SourceView& source : schema.sources) {
    for (const api::StreamView& stream : source.streams) {
      std::string& sources = sources_by_stream[stream.name];
      const std::string& name = source.display_name.empty() ? source.connector_key : source.display_name;
      sources += (sources.empty() ? "" : ", ") + name;
    }
  }
  json::Writer out;
  out.begin_array();
  for (const auto& [stream, sources] : sources_by_stream) {
    json::Writer one;
    one.begin_object().member("uri", std::string(model::kStreamUriPrefix) + model::percent_encode(stream)).member("name", stream);
    one.member("title", api::shortened(format("{} ({})", stream, sources), api::kTitleChars)).member("mimeType", kJson);
    one.end_object();
    if (kResultFrameBytes + out.text().size() + one.text().size() > context.options.result_bytes) break;
    out.raw(one.take());
  }
  return out.end_array().take();
}

ResourceFailure resource_failure(const Error& error, std::string_view uri) {
  const auto* const known = std::ranges::find_if(kTemplates, [&](const Template& one) { return uri.starts_with(one.prefix); });
  return failure_of(error, uri, known == std::ranges::end(kTemplates) ? "" : known->kind);
}

std::variant<ResourceRead, ResourceFailure> read_resource(const Context& context, std::string_view uri) {
  for (const Template& known : kTemplates) {
    if (!uri.starts_with(known.prefix)) continue;
    auto read = known.read(context, uri, uri.substr(known.prefix.size()));
    if (read) return *std::move(read);
    return failure_of(read.error(), uri, known.kind);
  }
  Error unknown{Code::kNotFound, format("unknown resource {}; resources/templates/list lists the kinds", model::in_quotes(uri)),
                "uri"};
  return failure_of(unknown, uri, "");
}

namespace {

// Bytes from first_byte on, and metadata of the complete blob.
struct Piece {
  std::string bytes;
  std::string mime_type, digest, blob_id;
  std::int64_t first_byte = 0;
  std::int64_t size_bytes = -1;  // negative if unknown
  bool has_more = false;
};

std::int64_t wanted_bytes(const model::BlobHandle& handle) {
  return std::min(handle.max_bytes.value_or(api::kBlobReadBytes), api::kBlobReadBytes);
}

Error named(Error error, const model::BlobHandle& handle) {
  ErrorDetails& details = error.details();
  if (details.record.empty()) details.record = model::format_record_id(handle.record);
  if (details.field_path.empty()) details.field_path = handle.field_path;
  return error;
}

std::unexpected<Error> not_bytes(const model::BlobHandle& handle) {
  return fail(
      Code::kInvalidRequest,
      format("{} contains neither a blob nor base64; read it with read_record_field", model::in_quotes(handle.field_path)),
      "field_path");
}

// base64 encodes three bytes as four characters, so any byte offset can be computed.
Result<Piece> read_base64(const Context& context, const model::BlobHandle& handle, const api::FieldWindow& first) {
  Piece piece;
  piece.mime_type = first.mime_type;
  piece.digest = first.digest;
  const std::int64_t first_group = handle.first_byte / 3;
  const std::int64_t last_group = (handle.first_byte + wanted_bytes(handle) - 1) / 3;
  const std::int64_t end_chars = std::min((last_group + 1) * 4, first.size_chars);
  std::string text;
  for (std::int64_t at = first_group * 4; at < end_chars;) {
    api::FieldWindowRequest request{handle.record, handle.field_path, {}};
    request.window.offset_chars = at;
    request.window.limit_chars = std::min(limits::kWindowMaxChars, end_chars - at);
    LADDER_TRY(const auto window, context.port.field_window(request, context.stop));
    if (window.digest != first.digest || window.text.empty()) {
      return fail(Code::kStaleCursor, "the field changed during the read; read again from the first byte", "uri");
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

Result<Piece> read_blob(const Context& context, const model::BlobHandle& handle, const api::BlobReference& facts) {
  if (facts.blob_id.empty()) {
    return fail(
        Code::kBlobNotFound,
        format("{} references its bytes by an external address, and none are stored here", model::in_quotes(handle.field_path)),
        "field_path");
  }
  api::BlobRequest request;
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

// Servers that only support windows of strings return an object only with its record.
Result<std::string> object_text(const Context& context, const model::BlobHandle& handle) {
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(handle.field_path));
  api::RecordRequest request;
  request.record = handle.record;
  request.fields = {path.field};
  LADDER_TRY(const auto record, context.port.record(request, context.stop));
  const auto field = json::member(json::value_of(record.data).text, path.field);
  const auto value = field ? json::resolve(*field, path.nested) : std::nullopt;
  if (!value || value->kind != json::Kind::kObject) return not_bytes(handle);
  return std::string(value->text);
}

Result<Piece> read_piece(const Context& context, const model::BlobHandle& handle) {
  api::FieldWindowRequest request{handle.record, handle.field_path, {}};
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
  const auto facts = api::blob_reference(object);
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
