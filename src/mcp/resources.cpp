#include "mcp/resources.h"

#include "base/format.h"
#include "evidence/bounds.h"
#include "mcp/budget.h"
#include "mcp/error_text.h"
#include "mcp/ladder_json.h"
#include "mcp/record_view.h"
#include "mcp/resource_blob.h"
#include "mcp/window_answer.h"
#include "model/handle.h"
#include "model/quote.h"
#include "port/render.h"
#include "port/target.h"

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

// The record as the resource server has it, with long strings cut and where to read on.
std::string record_json(const port::Record& record, const std::string& self, const evidence::LadderRecord& ladder) {
  std::string body = port::render(record, {.self = self});
  if (ladder.fields.empty()) return body;
  json::Writer more;
  more.begin_object().key("resources").begin_array();
  for (const evidence::LadderField& field : ladder.fields) {
    more.begin_object().member("field_path", field.path).member("preview_status", evidence::word_of(field.status));
    more.optional_member("mime_type", field.mime_type);
    more.member("uri", field.is_binary() ? blob_uri(record.ref, field.path) : window_uri(record.ref, field.path, field.resume));
    more.end_object();
  }
  more.end_array().end_object();
  body.back() = ',';  // the object goes on
  return body.append(more.text().substr(1));
}

Result<ResourceRead> read_record_resource(const Context& context, std::string_view uri, std::string_view handle) {
  LADDER_TRY(const model::RecordRef asked, model::decode_record_handle(handle));
  port::RecordRequest request;
  request.record = asked;
  request.max_field_chars = evidence::kDocumentFieldChars;
  request.max_bytes = static_cast<std::int64_t>(context.options.result_bytes);
  LADDER_TRY(auto record, context.port.record(request, context.stop));
  if (record.ref.connection_id.empty()) record.ref.connection_id = asked.connection_id;
  const std::string self = port::target_of(request);
  for (std::int64_t chars = evidence::kDocumentFieldChars;; chars /= 4) {
    trim_record(record, chars);
    const evidence::LadderRecord ladder = ladder_of(record);
    std::string body = record_json(record, self, ladder);
    if (kResultFrameBytes + escaped_bytes(body) <= context.options.result_bytes) {
      return ResourceRead{{{std::string(uri), std::string(kJson), std::move(body), {}}}, {}};
    }
    if (chars < 16) break;
  }
  return fail(Code::kResourceLimit,
              format("the record does not fit into {} bytes; read its fields one by one", context.options.result_bytes), "uri");
}

// Every source that has the stream, and nothing else of it.
port::SchemaView of_stream(port::SchemaView schema, const std::string& name) {
  for (port::SourceView& source : schema.sources) {
    std::erase_if(source.streams, [&](const port::StreamView& stream) { return stream.name != name; });
  }
  std::erase_if(schema.sources, [](const port::SourceView& source) { return source.streams.empty(); });
  return schema;
}

Result<ResourceRead> read_stream_resource(const Context& context, std::string_view uri, std::string_view encoded) {
  LADDER_TRY(const std::string name, model::percent_decode(encoded));
  if (!model::is_safe_name(name)) {
    return fail(Code::kInvalidHandle, format("{} is no stream's name", model::in_quotes(name)), "uri");
  }
  auto told = context.port.schema({name, "", true, false}, context.stop);
  const bool is_ambiguous =
      !told && (told.error().code == Code::kAmbiguousSchemaDetail || told.error().code == Code::kAmbiguousConnection);
  if (is_ambiguous) told = context.port.schema({name, "", false, false}, context.stop);
  if (!told) return std::unexpected(std::move(told).error());
  const port::SchemaView schema = of_stream(*std::move(told), name);
  if (schema.sources.empty()) {
    return fail(Code::kStreamNotAllowed, format("no granted stream is named {}", model::in_quotes(name)), "uri");
  }
  const port::SourceView& source = schema.sources.front();
  const bool is_one = schema.sources.size() == 1 && source.streams.size() == 1;
  const std::string self = "/v1/streams/" + std::string(encoded);
  std::string body = is_one ? port::render_stream(source, source.streams.front(), {.self = self})
                            : port::render_schema(schema, port::SchemaForm::kFull, true, {.self = self});
  if (kResultFrameBytes + escaped_bytes(body) > context.options.result_bytes) {
    body = port::render_schema(schema, port::SchemaForm::kCompact, true, {.self = self});
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
  data.begin_object().member("uri", uri).optional_member("kind", kind);
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

std::variant<ResourceRead, ResourceFailure> read_resource(const Context& context, std::string_view uri) {
  for (const Template& known : kTemplates) {
    if (!uri.starts_with(known.prefix)) continue;
    auto read = known.read(context, uri, uri.substr(known.prefix.size()));
    if (read) return *std::move(read);
    return failure_of(read.error(), uri, known.kind);
  }
  Error unknown{Code::kNotFound,
                format("there is no resource {}; resources/templates/list names the kinds there are", model::in_quotes(uri)),
                "uri"};
  return failure_of(unknown, uri, "");
}

}  // namespace ladder::mcp
