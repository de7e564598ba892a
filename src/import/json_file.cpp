#include "import/json_file.h"

#include "base/format.h"
#include "base/limits.h"
#include "import/deaf_sink.h"
#include "import/limits.h"
#include "import/text.h"

namespace ladder::imports {

extract::Place JsonElement::place_of(const json::Value& inside) const {
  const char* const begin = value.text.data();
  const bool within = !mended && inside.text.data() >= begin && inside.text.data() < begin + value.text.size();
  return {at.file, within ? at.byte + (inside.text.data() - begin) : at.byte};
}

Status read_elements(Tree& tree, EntryNo entry, std::string_view kind, SalvagedElements::Accepts accepts, std::int64_t from,
                     Sink& sink, const TakeElement& take) {
  const std::string& path = tree.entries()[entry].path;
  const auto bytes = tree.open(entry);
  if (!bytes) return sink.lost({path, -1}, bytes.error().message);
  SalvagedElements elements(**bytes, accepts);
  for (;;) {
    const auto step = elements.next();
    if (!step) return sink.lost({path, -1}, step.error().message);
    if (*step == SalvagedElements::Step::kEnd) return {};
    if (elements.offset() < from) continue;
    if (*step == SalvagedElements::Step::kLost) {
      LADDER_CHECK(sink.lost({path, elements.offset()}, format("{} bytes that hold no readable {}: {}",
                                                               elements.end_offset() - elements.offset(), kind, elements.why())));
      continue;
    }
    JsonElement element;
    element.value = json::value_of(elements.element());
    element.at = {path, elements.offset()};
    element.end = elements.end_offset();
    element.mended = elements.mended();
    LADDER_CHECK(take(element));
  }
}

Status look_at_elements(Tree& tree, EntryNo entry, SalvagedElements::Accepts accepts, const TakeElement& take) {
  DeafSink deaf;
  return read_elements(tree, entry, "element", accepts, 0, deaf, take);
}

Status read_document(Tree& tree, EntryNo entry, std::string_view kind, Sink& sink, const TakeElement& take) {
  const std::string& path = tree.entries()[entry].path;
  auto text = tree.read(entry, limits::kMaxTextBytes);
  if (!text) return sink.lost({path, -1}, text.error().message);
  JsonElement element;
  std::int64_t before = 0;
  if (text->starts_with("\xEF\xBB\xBF")) {
    text->erase(0, 3);
    before = 3;
  }
  auto checked = json::check(*text, ladder::limits::kMaxJsonDepth);
  if (!checked && (checked.error().invalid_utf8 || text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))) {
    *text = to_utf8_raw(*text);
    element.mended = true;
    checked = json::check(*text, ladder::limits::kMaxJsonDepth);
  }
  if (!checked) {
    return sink.lost({path, element.mended ? 0 : before + static_cast<std::int64_t>(checked.error().offset)},
                     format("a file that holds no readable {}: not valid JSON: {}", kind, checked.error().what));
  }
  element.value = json::value_of(*text);
  element.at = {path, element.mended ? 0 : before + (element.value.text.data() - text->data())};
  element.end = tree.entries()[entry].size;
  return take(element);
}

bool is_file_or_part(std::string_view name, std::string_view stem) {
  constexpr std::string_view kEnding = ".json";
  const std::string lower = lower_ascii(name);
  if (lower.size() < stem.size() + kEnding.size() || !lower.starts_with(stem) || !lower.ends_with(kEnding)) return false;
  std::string_view number = std::string_view(lower).substr(stem.size(), lower.size() - stem.size() - kEnding.size());
  if (number.empty()) return true;
  if (number.front() != '-' && number.front() != '_') return false;
  number.remove_prefix(1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace ladder::imports
