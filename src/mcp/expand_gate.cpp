#include "mcp/expand_gate.h"

#include "base/format.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

bool offers(const port::StreamView& stream, const std::string& relation) {
  return std::ranges::any_of(stream.expansions,
                             [&](const port::ExpandView& view) { return view.name == relation && view.usable; });
}

std::string names_of(const port::StreamView& stream) {
  std::string names;
  for (const port::ExpandView& view : stream.expansions) {
    if (view.usable) names += (names.empty() ? "" : ", ") + model::in_quotes(view.name);
  }
  return names;
}

}  // namespace

Status check_expand(const Context& context, const std::string& stream, const std::string& connection_id,
                    const std::vector<std::string>& relations) {
  if (relations.empty()) return {};
  const auto schema = context.port.schema({stream, connection_id, false, false}, context.stop);
  if (!schema) return {};
  std::vector<const port::StreamView*> views;
  for (const port::SourceView& source : schema->sources) {
    for (const port::StreamView& view : source.streams) {
      if (view.name == stream) views.push_back(&view);
    }
  }
  if (views.empty()) return {};
  for (const std::string& relation : relations) {
    if (std::ranges::any_of(views, [&](const port::StreamView* view) { return offers(*view, relation); })) continue;
    const std::string names = names_of(*views.front());
    return fail(Code::kInvalidExpand,
                format("stream {} has no relation {} to expand; {}", model::in_quotes(stream), model::in_quotes(relation),
                       names.empty() ? "it has none: leave expand out" : "those it has: " + names),
                "expand");
  }
  return {};
}

}  // namespace ladder::mcp
