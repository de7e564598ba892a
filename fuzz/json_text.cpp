// JSON text in place, the format of every record. `check` agrees with the grammar; on checked text every walk stays
// inside the text, strings decode the same in one piece and in several, and every value is found by its pointer. First
// line: a JSON Pointer to look up. The rest: the text.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "json/scan/pointer.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "json_grammar.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kDepth = limits::kMaxJsonDepth;

bool is_inside(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

bool same_view(std::string_view a, std::string_view b) { return a.data() == b.data() && a.size() == b.size(); }

// Walks all nested values and counts what `check` counted.
class Walker {
 public:
  explicit Walker(const json::Value& root) : root_(root) {}

  void value(const json::Value& value);
  std::size_t depth() const { return deepest_; }

 private:
  static constexpr std::size_t kMaxLookups = 200;  // each lookup walks from the root: keeps the cost linear

  void object(const json::Value& value);
  void array(const json::Value& value);
  void string(const json::Value& value);
  void decoded_text(std::string_view raw);
  void pieces(std::string_view raw, const std::string& decoded, std::size_t max_bytes);
  void look_up(const json::Value& value);

  json::Value root_;
  std::vector<std::string> path_;
  std::size_t deepest_ = 0;
  std::size_t lookups_ = 0;
  bool is_shadowed_ = false;  // below a repeated name: a pointer leads to the other member
};

void Walker::value(const json::Value& value) {
  FUZZ_CHECK(!value.text.empty() && is_inside(value.text, root_.text));
  FUZZ_CHECK(json::kind_at(value.text, 0) == value.kind && value.kind != json::Kind::kReference);
  FUZZ_CHECK(json::skip_value(value.text, 0) == value.text.size());
  if (lookups_ < kMaxLookups) {
    ++lookups_;
    FUZZ_CHECK(is_json(value.text, kDepth));
    look_up(value);
  }
  switch (value.kind) {
    case json::Kind::kObject:
      return object(value);
    case json::Kind::kArray:
      return array(value);
    case json::Kind::kString:
      return string(value);
    default:
      return;
  }
}

void Walker::object(const json::Value& value) {
  const bool was_shadowed = is_shadowed_;
  std::size_t behind = 0;
  std::size_t count = 0;
  deepest_ = std::max(deepest_, path_.size() + 1);
  for (json::Members walk(value.text); walk.next(); ++count) {
    FUZZ_CHECK(walk.member_offset() >= behind && value.text[walk.member_offset()] == '"');
    FUZZ_CHECK(walk.raw_name().data() == value.text.data() + walk.member_offset() + 1);
    FUZZ_CHECK(walk.value().text.data() > walk.raw_name().data() + walk.raw_name().size());
    behind = static_cast<std::size_t>(walk.value().text.data() - value.text.data()) + walk.value().text.size();
    decoded_text(walk.raw_name());
    std::string name = json::decode_string(walk.raw_name());
    FUZZ_CHECK(json::name_equals(walk.raw_name(), name));
    FUZZ_CHECK(!json::name_equals(walk.raw_name(), name + "x"));
    if (lookups_ < kMaxLookups) {
      const auto first = json::member(value.text, name);
      FUZZ_CHECK(first && first->text.data() <= walk.value().text.data());
      is_shadowed_ = was_shadowed || !same_view(first->text, walk.value().text);
    }
    path_.push_back(std::move(name));
    this->value(walk.value());
    path_.pop_back();
  }
  is_shadowed_ = was_shadowed;
  FUZZ_CHECK((count == 0) == (value.text.find_first_not_of(" \t\r\n", 1) == value.text.size() - 1));
}

void Walker::array(const json::Value& value) {
  std::size_t behind = 0;
  std::size_t index = 0;
  deepest_ = std::max(deepest_, path_.size() + 1);
  for (json::Elements walk(value.text); walk.next(); ++index) {
    FUZZ_CHECK(walk.element_offset() >= behind && walk.value().text.data() == value.text.data() + walk.element_offset());
    behind = walk.element_offset() + walk.value().text.size();
    path_.push_back(std::to_string(index));
    this->value(walk.value());
    path_.pop_back();
  }
  FUZZ_CHECK((index == 0) == (value.text.find_first_not_of(" \t\r\n", 1) == value.text.size() - 1));
}

void Walker::string(const json::Value& value) {
  FUZZ_CHECK(value.text.size() >= 2 && value.text.front() == '"' && value.text.back() == '"');
  decoded_text(json::raw_content(value));
}

void Walker::decoded_text(std::string_view raw) {
  const Exact copy(raw);
  const std::string decoded = json::decode_string(copy.view());
  FUZZ_CHECK(utf8::is_valid(decoded));
  FUZZ_CHECK(json::decoded_length(copy.view()) == static_cast<std::size_t>(utf8::count(decoded)));
  if (raw.find('\\') == std::string_view::npos) FUZZ_CHECK(decoded == raw);
  for (const std::size_t max_bytes : {1UZ, 4UZ, 5UZ, 7UZ, 16UZ, 4096UZ}) pieces(copy.view(), decoded, max_bytes);
  // The canonical text parses to the same value.
  std::string written;
  json::append_string(written, decoded);
  FUZZ_CHECK(is_json(written, 0) && json::check(written, 0));
  FUZZ_CHECK(json::decode_string(std::string_view(written).substr(1, written.size() - 2)) == decoded);
}

void Walker::pieces(std::string_view raw, const std::string& decoded, std::size_t max_bytes) {
  std::string joined;
  std::string piece;
  for (json::StringDecoder decoder(raw); decoder.next(piece, max_bytes);) {
    FUZZ_CHECK(!piece.empty() && piece.size() <= std::max<std::size_t>(max_bytes, 4) && utf8::is_valid(piece));
    joined += piece;
  }
  FUZZ_CHECK(joined == decoded);
}

void Walker::look_up(const json::Value& value) {
  const std::string pointer = json::format_pointer(path_);
  const auto tokens = json::parse_pointer(pointer);
  const bool fits = pointer.size() <= limits::kMaxFieldPathBytes && path_.size() <= limits::kMaxPointerDepth;
  FUZZ_CHECK(tokens.has_value() == fits);
  if (tokens) FUZZ_CHECK(*tokens == path_);
  const auto found = json::resolve(root_, path_);
  if (is_shadowed_) return;
  FUZZ_CHECK(found && found->kind == value.kind && same_view(found->text, value.text));
}

void check_pointer(std::string_view pointer, const json::Value* root) {
  const auto tokens = json::parse_pointer(pointer);
  if (!tokens) {
    FUZZ_CHECK(tokens.error().code == Code::kInvalidFieldPath);
    return;
  }
  FUZZ_CHECK(json::format_pointer(*tokens) == pointer);
  if (root == nullptr) return;
  const auto found = json::resolve(*root, *tokens);
  if (found) FUZZ_CHECK(is_inside(found->text, root->text));
}

// Walks of unchecked text may return nonsense, but stay inside the text and end.
void check_unchecked(std::string_view text) {
  std::size_t values = 0;
  for (json::Members walk(text); walk.next(); ++values) FUZZ_CHECK(is_inside(walk.value().text, text));
  for (json::Elements walk(text); walk.next(); ++values) FUZZ_CHECK(is_inside(walk.value().text, text));
  FUZZ_CHECK(values <= text.size());
  if (!text.empty()) FUZZ_CHECK(json::skip_value(text, 0) <= text.size());
  FUZZ_CHECK(json::decoded_length(text) <= text.size());
}

}  // namespace

void run(std::string_view input) {
  const std::string_view pointer = take_line(input);
  const Exact copy(input);
  const std::string_view text = copy.view();
  const auto facts = json::check(text, kDepth);
  const bool is_utf8 = utf8::is_valid(text);
  FUZZ_CHECK(facts.has_value() == (is_utf8 && is_json(text, kDepth)));
  if (!facts) {
    FUZZ_CHECK(facts.error().offset <= text.size() && !facts.error().what.empty());
    if (facts.error().invalid_utf8) FUZZ_CHECK(!is_utf8 && facts.error().offset == utf8::find_invalid(text));
    // The text before the reported offset is valid.
    FUZZ_CHECK(is_utf8 || utf8::find_invalid(text) >= facts.error().offset);
    check_pointer(pointer, nullptr);
    check_unchecked(text);
    return;
  }
  const json::Value root = json::value_of(text);
  FUZZ_CHECK(is_inside(root.text, text));
  Walker walker(root);
  walker.value(root);
  FUZZ_CHECK(walker.depth() == facts->depth);
  if (facts->depth > 0) FUZZ_CHECK(!json::check(text, facts->depth - 1));
  check_pointer(pointer, &root);
}

}  // namespace ladder::fuzz
