#include "store/search/searched_text.h"

#include "json/scan/scan.h"
#include "model/base64_shape.h"

#include <algorithm>
#include <utility>

namespace ladder::store {
namespace {

std::optional<SearchedText> text_of(int column, const json::Value& stored) {
  if (stored.kind == json::Kind::kReference) {
    auto ref = parse_reference(stored.text);
    if (!ref || ref->kind != json::Kind::kString || ref->value_class != ValueClass::kText) return std::nullopt;
    return SearchedText{.column = column, .text = {}, .ref = *std::move(ref)};
  }
  if (stored.kind != json::Kind::kString) return std::nullopt;
  std::string text = json::decode_string(json::raw_content(stored));
  if (text.empty() || model::looks_base64(text)) return std::nullopt;
  return SearchedText{.column = column, .text = std::move(text), .ref = std::nullopt};
}

}  // namespace

std::vector<SearchedText> searched_texts(std::string_view body, std::span<const WordColumn> columns) {
  std::vector<SearchedText> texts;
  std::vector<const WordColumn*> wanted;
  for (const WordColumn& column : columns) wanted.push_back(&column);
  for (json::Members members(body);
       !wanted.empty() && members.next();) {  // of several members with the same name the first counts
    std::erase_if(wanted, [&](const WordColumn* column) {
      if (!json::name_equals(members.raw_name(), column->field)) return false;
      if (auto text = text_of(column->column, members.value())) texts.push_back(*std::move(text));
      return true;
    });
  }
  std::ranges::sort(texts, {}, &SearchedText::column);
  return texts;
}

Result<std::vector<ShortPassage>> short_passages(std::span<const SearchedText> texts) {
  std::vector<ShortPassage> found;
  for (const SearchedText& text : texts) {
    if (text.ref) continue;
    LADDER_TRY(std::vector<text::Passage> passages, text::cut_passages(text.text));
    for (text::Passage& passage : passages) found.push_back({text.column, std::move(passage)});
  }
  return found;
}

}  // namespace ladder::store
