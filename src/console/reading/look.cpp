#include "console/reading/look.h"

#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::console {
namespace {

std::string declared(const api::FieldView& field, std::string_view keyword) {
  const auto value = json::member(field.schema_json, keyword);
  return value && value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string();
}

const api::FieldView* find(const api::StreamView& stream, std::string_view name) {
  const auto found = std::ranges::find(stream.fields, name, &api::FieldView::name);
  return found == stream.fields.end() ? nullptr : &*found;
}

bool has_role(const api::StreamView& stream, std::string_view role) {
  return std::ranges::find(stream.fields, role, &api::FieldView::role) != stream.fields.end();
}

// Returns whether the records are parts of conversations.
bool has_conversations(const api::StreamView& stream) {
  return has_role(stream, kContextRole) || std::ranges::any_of(stream.fields, [](const api::FieldView& field) {
           return !declared(field, "x_pdpp_belongs_to").empty();
         });
}

}  // namespace

Look look_of(const api::StreamView& stream) {
  const api::DocumentRoles roles = api::roles_of(stream);
  const api::FieldView* const title = find(stream, roles.title);
  const bool has_text = !roles.text.empty();
  const bool has_own_title = title && title->role != kContextRole;
  if (title && title->type == "person") return Look::kPerson;
  if (!roles.time.empty() && (has_role(stream, kEndTimeRole) || has_role(stream, kLocationRole))) return Look::kEvent;
  if (has_text && !roles.author.empty() && has_role(stream, kRecipientRole)) return Look::kMail;
  if (has_text && !roles.author.empty() && !roles.time.empty() && !has_own_title && has_conversations(stream)) return Look::kChat;
  return has_text ? Look::kDocument : Look::kFacts;
}

bool has_files(const api::StreamView& stream) {
  return std::ranges::any_of(stream.fields, [](const api::FieldView& field) {
    const auto members = json::member(field.schema_json, "properties");
    return members && members->kind == json::Kind::kObject && json::member(members->text, "blob_id");
  });
}

bool only_links(const api::SourceView& source, const api::StreamView& stream) {
  if (look_of(stream) != Look::kFacts || has_files(stream)) return false;
  return std::ranges::any_of(source.streams, [&](const api::StreamView& other) {
    return std::ranges::any_of(other.relationships, [&](const model::Relationship& one) {
      return one.has_many && one.stream == stream.name && other.name != stream.name;
    });
  });
}

std::vector<const api::FieldView*> fields_with_role(const api::StreamView& stream, std::string_view role) {
  std::vector<const api::FieldView*> found;
  for (const api::FieldView& field : stream.fields) {
    if (field.role == role) found.push_back(&field);
  }
  return found;
}

std::string label_of(const api::FieldView& field) {
  std::string title = declared(field, "title");
  return title.empty() ? heading_of(field.name) : title;
}

std::string heading_of(std::string_view name) {
  std::string heading(name);
  std::ranges::replace(heading, '_', ' ');
  if (!heading.empty() && heading.front() >= 'a' && heading.front() <= 'z')
    heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
  return heading;
}

}  // namespace ladder::console
