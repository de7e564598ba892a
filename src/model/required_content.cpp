#include "model/required_content.h"

#include <algorithm>

namespace ladder::model {

std::vector<std::string> required_content(const Stream& stream) {
  std::vector<std::string> names;
  for (const Field& field : stream.fields) {
    const bool is_key = std::ranges::find(stream.primary_key, field.name) != stream.primary_key.end();
    if (field.required && !is_key) names.push_back(field.name);
  }
  return names;
}

bool requires_content(const SourceDeclaration& declaration) {
  return std::ranges::any_of(declaration.streams, [](const Stream& stream) { return !required_content(stream).empty(); });
}

}  // namespace ladder::model
