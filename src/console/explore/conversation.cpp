#include "console/explore/conversation.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::console {
namespace {

// The field that groups records: declared with x_pdpp_belongs_to, or else a field with the role "context". The field must be
// indexed.
struct GroupField {
  std::string name, word, value;
};

std::optional<GroupField> group_field(const RecordView& view) {
  const auto usable = [&](const api::FieldView& field) {
    return field.exact_filter.usable && field.group_by.usable && !text_of(view.own.data, field.name).empty();
  };
  for (const api::FieldView& field : view.stream.stream->fields) {
    const std::string word = text_of(field.schema_json, "x_pdpp_belongs_to");
    if (!word.empty() && usable(field)) return GroupField{field.name, word, text_of(view.own.data, field.name)};
  }
  for (const api::FieldView& field : view.stream.stream->fields) {
    if (field.role == kContextRole && usable(field))
      return GroupField{field.name, field.name, text_of(view.own.data, field.name)};
  }
  return std::nullopt;
}

Result<api::RecordsPage> neighbours(const RecordView& view, const ConversationRequest& wanted, const GroupField& group,
                                    std::string_view op, const std::string& time) {
  api::RecordsRequest request;
  request.scope.connection_id = view.ref().connection_id;
  request.stream = view.ref().stream;
  request.fields = wanted.fields;
  request.max_field_chars = wanted.field_chars;
  request.descending = op != "gt";
  request.limit = op == "gt" ? wanted.after : wanted.before + 1;
  request.filters.push_back({group.name, "", group.value});
  if (!op.empty()) request.filters.push_back({view.stream.roles.time, std::string(op), time});
  return view.server.reads().records(view.owner, request);
}

}  // namespace

Result<std::optional<Conversation>> conversation_of(const RecordView& view, const ConversationRequest& wanted) {
  const auto group = group_field(view);
  if (!group) return std::nullopt;
  const std::string time = text_of(view.own.data, view.stream.roles.time);
  const bool in_order = !time.empty() && view.stream.is_dated();
  LADDER_TRY(api::RecordsPage page, neighbours(view, wanted, *group, in_order ? "lte" : "", time));
  Conversation found{group->word, std::move(page.records), page.has_more, false};
  std::ranges::reverse(found.records);
  if (!in_order) return found;
  LADDER_TRY(api::RecordsPage later, neighbours(view, wanted, *group, "gt", time));
  found.after = later.has_more;
  std::ranges::move(later.records, std::back_inserter(found.records));
  return found;
}

Result<std::optional<api::Record>> as_seen(const RecordView& view, const api::Record& record, std::int64_t field_chars) {
  if (view.viewer.is_owner()) return record;
  api::RecordRequest request;
  request.record = record.ref;
  request.max_field_chars = field_chars;
  auto seen = view.server.reads().record(view.viewer.access, request);
  if (seen) return *std::move(seen);
  if (seen.error().http_status() >= 500) return std::unexpected(seen.error());
  return std::nullopt;
}

}  // namespace ladder::console
