// Field paths: names and JSON Pointers.
#include "model/field_path.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/scan/pointer.h"
#include "model/quote.h"

namespace ladder::model {
namespace {

std::unexpected<Error> refuse(std::string message) { return fail(Code::kInvalidFieldPath, std::move(message), "field_path"); }

}  // namespace

Result<FieldPath> parse_field_path(std::string_view text) {
  if (text.empty()) return refuse("field_path is empty; name a field of the stream, or a JSON Pointer such as /blocks/3/text");
  if (text.size() > limits::kMaxFieldPathBytes) {
    return refuse(format("field_path has {} bytes, more than the limit of {}", text.size(), limits::kMaxFieldPathBytes));
  }
  if (text.find('\0') != std::string_view::npos) return refuse("field_path contains a NUL character");
  if (!utf8::is_valid(text)) return refuse("field_path is not valid UTF-8");
  if (!text.starts_with('/')) {
    if (text.find('/') != std::string_view::npos) {
      return refuse(
          format("field_path {} is neither a name nor a pointer: write {} for a value inside a field, {} for the field of "
                 "that name",
                 in_quotes(text), in_quotes("/" + std::string(text)), in_quotes(json::format_pointer({std::string(text)}))));
    }
    return FieldPath{std::string(text), std::string(text), {}};
  }
  Result<std::vector<std::string>> tokens = json::parse_pointer(text);
  if (!tokens) return refuse(format("field_path {}: {}", in_quotes(text), tokens.error().message));
  if (tokens->empty() || tokens->front().empty()) {
    return refuse(
        format("field_path {} names no field: a pointer starts with the field's name, as in /blocks/3/text", in_quotes(text)));
  }
  FieldPath path{std::string(text), std::move(tokens->front()), {}};
  tokens->erase(tokens->begin());
  path.nested = *std::move(tokens);
  return path;
}

std::string format_field_path(const std::string& field, const std::vector<std::string>& nested) {
  if (nested.empty() && field.find('/') == std::string::npos) return field;
  std::vector<std::string> tokens{field};
  tokens.insert(tokens.end(), nested.begin(), nested.end());
  return json::format_pointer(tokens);
}

}  // namespace ladder::model
