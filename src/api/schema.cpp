#include "api/schema.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace ladder::api {
namespace {

// Role names used by our declarations and the reference's; the first field with one of them has the role.
constexpr std::array<std::string_view, 3> kTitle = {"primary-title", "title", "context"};
constexpr std::array<std::string_view, 3> kText = {"primary-text", "body", "text"};
constexpr std::array<std::string_view, 2> kTime = {"event-time", "time"};
constexpr std::array<std::string_view, 2> kAuthor = {"actor", "author"};
constexpr std::array<std::string_view, 2> kUrl = {"source-url", "url"};

std::string with_role(const StreamView& stream, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    const auto found = std::ranges::find(stream.fields, word, &FieldView::role);
    if (found != stream.fields.end()) return found->name;
  }
  return {};
}

}  // namespace

bool is_text_role(std::string_view role) { return std::ranges::find(kText, role) != kText.end(); }

DocumentRoles roles_of(const StreamView& stream) {
  DocumentRoles roles{with_role(stream, kTitle), with_role(stream, kText), with_role(stream, kTime), with_role(stream, kAuthor),
                      with_role(stream, kUrl)};
  if (roles.time.empty()) roles.time = stream.consent_time_field;
  if (roles.url.empty()) {
    const auto typed = std::ranges::find(stream.fields, "url", &FieldView::type);
    if (typed != stream.fields.end()) roles.url = typed->name;
  }
  return roles;
}

DocumentRoles granted_roles_of(const StreamView& stream) {
  DocumentRoles roles = roles_of(stream);
  for (std::string* name : {&roles.title, &roles.text, &roles.time, &roles.author, &roles.url}) {
    const auto field = std::ranges::find(stream.fields, *name, &FieldView::name);
    if (field == stream.fields.end() || !field->granted) name->clear();
  }
  return roles;
}

}  // namespace ladder::api
