#include "rest/schema_answer.h"

#include "base/format.h"
#include "json/writer.h"
#include "rest/render.h"

namespace ladder::rest {
namespace {

std::string imports_json(const std::vector<rs::ImportFacts>& imports) {
  json::Writer out;
  out.begin_array();
  for (const rs::ImportFacts& facts : imports) {
    out.begin_object().member("connection_id", facts.connection_id).member("stream", facts.stream);
    out.member("last_import", format_time(facts.last_import)).member("parts", facts.parts);
    out.member("records_read", facts.records_read).member("not_imported", facts.not_imported).member("complete", facts.complete);
    out.optional_member("from", facts.from).optional_member("to", facts.to).end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace

std::string schema_text(const port::SchemaView& view, const SchemaArguments& arguments,
                        const std::vector<rs::ImportFacts>& imports, std::string_view self, Warnings warnings) {
  std::int64_t streams = 0;
  for (const port::SourceView& source : view.sources) streams += std::ssize(source.streams);
  bool compact = arguments.compact;
  if (!compact && arguments.request.stream.empty() && streams > kMaxFullStreams) {
    compact = true;
    warnings.push_back({"compatibility_fallback",
                        format("{} streams are shown compact; stream=NAME&detail=full shows one in full", streams),
                        "view",
                        {}});
  }
  std::string text = render_schema(view, compact ? SchemaForm::kCompact : SchemaForm::kFull, compact || arguments.is_narrowed(),
                                   {.self = self, .warnings = std::move(warnings)});
  if (compact || imports.empty()) return text;
  text.pop_back();  // the closing brace
  return text + ",\"imports\":" + imports_json(imports) + "}";
}

Result<std::string> schema_answer(rs::ResourceServer& server, const rs::Access& who, const SchemaArguments& arguments,
                                  std::string_view self, Warnings warnings) {
  auto view = server.schema(who, arguments.request);
  if (view) {
    LADDER_TRY(const auto imports, arguments.compact ? Result<std::vector<rs::ImportFacts>>() : import_facts(server, who, *view));
    return schema_text(*view, arguments, imports, self, std::move(warnings));
  }
  Error error = std::move(view.error());
  if (error.code == Code::kAmbiguousConnection) error.code = Code::kAmbiguousSchemaDetail;
  return std::unexpected(std::move(error));
}

}  // namespace ladder::rest
