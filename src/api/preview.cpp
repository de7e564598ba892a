#include "api/preview.h"

#include "api/search.h"
#include "base/limits.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"

#include <algorithm>
#include <optional>

namespace ladder::api {
namespace {

constexpr std::int64_t kLargeChars = 1'048'576;
constexpr std::int64_t kMaxMoved = 8;  // how far a cut moves to avoid splitting a sequence
constexpr std::int64_t kMaxWord = 16;  // how far an excerpt's start moves to a word start

// Returns true if the char combines with the one before it.
bool clings(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
         (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFE20 && c <= 0xFE2F) || c == 0x200D ||
         (c >= 0x1F3FB && c <= 0x1F3FF);
}

// Returns true if the text may be cut before char number `at`.
bool may_cut(std::string_view text, std::int64_t at) {
  if (at <= 0) return true;
  std::size_t byte = utf8::offset_of(text, at - 1);
  if (byte >= text.size()) return true;
  const char32_t before = utf8::next(text, byte);
  return byte >= text.size() || (!clings(utf8::next(text, byte)) && before != 0x200D);
}

// Returns the distance to the next word start, if it is near.
std::int64_t chars_to_word(std::string_view text, std::int64_t at) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  std::size_t byte = utf8::offset_of(text, at);
  if (byte == 0 || is_space(text[byte - 1])) return 0;
  for (std::int64_t chars = 1; chars <= kMaxWord && byte < text.size(); ++chars) {
    const bool ends_word = is_space(text[byte]);
    utf8::next(text, byte);
    if (ends_word) return chars;
  }
  return 0;
}

}  // namespace

std::string_view word_of(PreviewStatus status) {
  switch (status) {
    case PreviewStatus::kComplete:
      return "complete";
    case PreviewStatus::kTruncated:
      return "truncated";
    case PreviewStatus::kSnippetOnly:
      return "snippet-only";
    case PreviewStatus::kBinaryOnly:
      return "binary-only";
    case PreviewStatus::kUnavailable:
      break;
  }
  return "unavailable";
}

std::string_view size_grade(std::int64_t size_chars) {
  if (size_chars < 0) return "unknown";
  if (size_chars <= kSnippetChars) return "inline";
  if (size_chars <= limits::kWindowDefaultChars) return "small";
  if (size_chars <= limits::kWindowMaxChars) return "medium";
  return size_chars <= kLargeChars ? "large" : "huge";
}

CharRange excerpt_around(std::string_view text, CharRange focus, std::int64_t max_chars) {
  const std::int64_t size = utf8::count(text);
  if (size <= max_chars) return {0, size};
  const std::int64_t from = std::clamp<std::int64_t>(focus.start_chars, 0, size);
  const std::int64_t to = std::clamp<std::int64_t>(focus.end_chars, from, size);
  const std::int64_t spare = std::max<std::int64_t>(0, max_chars - (to - from));
  CharRange cut{std::max<std::int64_t>(0, from - spare / 2), 0};
  cut.end_chars = std::min(size, cut.start_chars + max_chars);
  cut.start_chars = std::max<std::int64_t>(0, cut.end_chars - max_chars);
  if (const std::int64_t on = chars_to_word(text, cut.start_chars); cut.start_chars + on <= from && cut.end_chars + on <= size) {
    cut.start_chars += on;
    cut.end_chars += on;
  }
  for (std::int64_t moved = 0; moved < kMaxMoved && cut.start_chars < from && !may_cut(text, cut.start_chars); ++moved) {
    ++cut.start_chars;
  }
  const std::int64_t least_end = std::min(to, cut.end_chars);
  for (std::int64_t moved = 0; moved < kMaxMoved && cut.end_chars > least_end && !may_cut(text, cut.end_chars); ++moved) {
    --cut.end_chars;
  }
  return cut;
}

std::int64_t read_start(std::string_view text, std::int64_t text_start, std::int64_t match_start, std::int64_t size_chars) {
  if (size_chars >= 0 && size_chars <= kWholeReadChars) return 0;
  const std::int64_t from = std::max(text_start, match_start - kReadLeadChars);
  if (from >= match_start) return match_start;
  if (from == 0) return 0;
  // Only the first start of each kind counts, because it has the most context.
  std::optional<std::int64_t> line, sentence, word;
  char32_t previous = 0, before_previous = 0;
  std::size_t byte = utf8::offset_of(text, from - text_start);
  for (std::int64_t at = from; at < match_start && byte < text.size(); ++at) {
    const char32_t c = utf8::next(text, byte);
    if (c != ' ' && c != '\n') {
      const bool after_stop = before_previous == '.' || before_previous == '!' || before_previous == '?';
      if (previous == '\n' && !line) line = at;
      if (((previous == ' ' && after_stop) || previous == U'\u3002') && !sentence) sentence = at;
      if ((previous == ' ' || previous == '\n') && !word) word = at;
    }
    before_previous = previous;
    previous = c;
  }
  return line ? *line : sentence ? *sentence : word.value_or(from);
}

std::int64_t read_start(const MatchWindow& window) {
  if (window.read_start >= 0) return window.read_start;
  const std::int64_t match = window.matches.empty() ? window.start_chars : window.matches.front().start_chars;
  const bool is_sized = window.size_chars > 0;
  return read_start(window.text, window.start_chars, match, is_sized ? window.size_chars : -1);
}

std::string shortened(std::string_view text, std::int64_t max_chars) {
  if (utf8::count(text) <= max_chars) return std::string(text);
  const CharRange kept = excerpt_around(text, {}, max_chars - 1);
  return std::string(utf8::slice(text, 0, kept.end_chars)) + "…";
}

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t kMinBase64Bytes = 256;  // shorter texts are not checked

std::string_view type_name(Kind kind) { return kind == Kind::kObject ? "object" : kind == Kind::kArray ? "array" : "string"; }

std::string text_of(const Value& value) {
  return value.kind == Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

// Walks the data once and replaces values on the way.
class Trimmer {
 public:
  Trimmer(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest)
      : data_(data), max_chars_(max_chars), digest_(digest) {
    out_.cut = std::move(cut);
    out_.data.reserve(data.size());
  }

  Trimmed run() {
    const Value object = json::value_of(data_);
    if (object.kind == Kind::kObject) {
      for (json::Members members(object.text); members.next();) {
        field_ = json::decode_string(members.raw_name());
        look_at_field(members.value());
      }
    }
    out_.data += data_.substr(copied_);
    return std::move(out_);
  }

 private:
  CutField* known(std::string_view path) {
    const auto found = std::ranges::find(out_.cut, path, &CutField::path);
    return found == out_.cut.end() ? nullptr : &*found;
  }

  void look_at_field(const Value& value) {
    const std::string path = model::format_field_path(field_);
    if (CutField* const cut = known(path)) return cut_further(*cut, value);
    if (!is_long(value)) return hide_base64(value);
    const std::string text = text_of(value);
    if (value.kind == Kind::kString && model::looks_base64(text)) return hide_base64(value);
    CutField cut = described(path, value, text);
    if (value.kind == Kind::kString) {
      cut.shown_chars = max_chars_;
      replace(value, in_quotes(utf8::slice(text, 0, max_chars_)));
    } else {
      cut.mime_type = "application/json";
      replace(value, "null");
    }
    out_.cut.push_back(std::move(cut));
  }

  // The byte size is an upper bound, so most values need no counting.
  bool is_long(const Value& value) const {
    if (value.kind != Kind::kString && value.kind != Kind::kObject && value.kind != Kind::kArray) return false;
    return std::ssize(value.text) > max_chars_ && utf8::count(text_of(value)) > max_chars_;
  }

  void cut_further(CutField& cut, const Value& value) {
    // An empty string would look like an empty value, so cut bytes become null, like a cut object.
    if (!cut.text_like && value.kind == Kind::kString) return replace(value, "null");
    if (value.kind != Kind::kString || !is_long(value)) return;
    cut.shown_chars = max_chars_;
    replace(value, in_quotes(utf8::slice(text_of(value), 0, max_chars_)));
  }

  void hide_base64(const Value& value) {
    if (value.text.size() < kMinBase64Bytes) return;
    if (value.kind == Kind::kObject) {
      for (json::Members members(value.text); members.next();) {
        nested_.push_back(json::decode_string(members.raw_name()));
        hide_base64(members.value());
        nested_.pop_back();
      }
    } else if (value.kind == Kind::kArray) {
      std::size_t index = 0;
      for (json::Elements elements(value.text); elements.next(); ++index) {
        nested_.push_back(std::to_string(index));
        hide_base64(elements.value());
        nested_.pop_back();
      }
    } else if (value.kind == Kind::kString) {
      const std::string text = text_of(value);
      model::Base64Shape shape;
      shape.feed(text);
      if (!shape.fits()) return;
      CutField cut = described(model::format_field_path(field_, nested_), value, text);
      cut.text_like = false;
      cut.mime_type = shape.sniffed_mime_type();
      cut.size_bytes = shape.decoded_bytes();
      replace(value, "null");
      out_.cut.push_back(std::move(cut));
    }
  }

  CutField described(std::string path, const Value& value, std::string_view text) const {
    CutField cut;
    cut.path = std::move(path);
    cut.type = type_name(value.kind);
    cut.size_chars = utf8::count(text);
    cut.digest = digest_(text);
    return cut;
  }

  static std::string in_quotes(std::string_view text) {
    std::string json;
    json::append_string(json, text);
    return json;
  }

  void replace(const Value& value, std::string_view with) {
    const auto at = static_cast<std::size_t>(value.text.data() - data_.data());
    out_.data += data_.substr(copied_, at - copied_);
    out_.data += with;
    copied_ = at + value.text.size();
  }

  std::string_view data_;
  std::int64_t max_chars_;
  Digester digest_;
  Trimmed out_;
  std::size_t copied_ = 0;
  std::string field_;
  std::vector<std::string> nested_;
};

}  // namespace

Trimmed trim(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest) {
  return Trimmer(data, std::move(cut), max_chars, digest).run();
}

}  // namespace ladder::api
