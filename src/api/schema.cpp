#include "api/schema.h"

#include "model/declaration/roles.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace ladder::api {
namespace {

std::string with_role(const StreamView& stream, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    const auto found = std::ranges::find(stream.fields, word, &FieldView::role);
    if (found != stream.fields.end()) return found->name;
  }
  return {};
}

}  // namespace

bool is_text_role(std::string_view role) { return model::roles::is_one_of(role, model::roles::kText); }

DocumentRoles roles_of(const StreamView& stream) {
  using namespace model::roles;
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
