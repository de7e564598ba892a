#include "rest/schema_answer.h"

#include "base/format.h"
#include "rest/render.h"

namespace ladder::rest {

std::string schema_text(const port::SchemaView& view, const SchemaArguments& arguments, std::string_view self,
                        Warnings warnings) {
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
  return render_schema(view, compact ? SchemaForm::kCompact : SchemaForm::kFull, compact || arguments.is_narrowed(),
                       {.self = self, .warnings = std::move(warnings)});
}

Result<std::string> schema_answer(rs::ResourceServer& server, const rs::Access& who, const SchemaArguments& arguments,
                                  std::string_view self, Warnings warnings) {
  auto view = server.schema(who, arguments.request);
  if (view) return schema_text(*view, arguments, self, std::move(warnings));
  Error error = std::move(view.error());
  if (error.code == Code::kAmbiguousConnection) error.code = Code::kAmbiguousSchemaDetail;
  return std::unexpected(std::move(error));
}

}  // namespace ladder::rest
