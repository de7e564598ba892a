// Lookups in a parsed declaration.
#include "model/declaration/declaration.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "model/handle.h"
#include "model/uri.h"

#include <algorithm>

namespace ladder::model {
namespace {

bool is_key_start(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_key_char(char c) { return is_key_start(c) || c == '.' || c == '_' || c == '-'; }

template <class Items, class Name>
auto find_named(const Items& items, std::string_view wanted, Name name) -> decltype(items.data()) {
  const auto found = std::ranges::find_if(items, [&](const auto& item) { return item.*name == wanted; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Field* Stream::field(std::string_view field_name) const { return find_named(fields, field_name, &Field::name); }

const View* Stream::view(std::string_view id) const { return find_named(views, id, &View::id); }

const Stream* SourceDeclaration::stream(std::string_view name) const { return find_named(streams, name, &Stream::name); }

std::string SourceDeclaration::default_key() const {
  const std::string_view segment = last_path_segment(source_id);
  const Result<std::string> decoded = percent_decode(segment);
  std::string key;
  for (char c : decoded ? std::string_view(*decoded) : segment) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_key_char(c)) {
      key += c;
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  const auto start = std::ranges::find_if(key, is_key_start);
  key.erase(key.begin(), start);
  if (key.size() > limits::kMaxNameBytes) key.resize(limits::kMaxNameBytes);
  while (key.ends_with('-')) key.pop_back();
  return key;
}

std::vector<std::string> SourceDeclaration::unenforced() const {
  std::vector<std::string> out;
  for (const Stream& stream : streams) {
    for (const std::string& pointer : stream.schema.unenforced()) out.push_back(format("{}: {}", stream.name, pointer));
  }
  return out;
}

bool is_connector_key(std::string_view key) {
  return !key.empty() && key.size() <= limits::kMaxNameBytes && is_key_start(key.front()) &&
         std::ranges::all_of(key, is_key_char);
}

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
