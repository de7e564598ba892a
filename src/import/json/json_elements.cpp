// Finds the end of an element by its quotes, brackets and commas only; json::check then validates it.
#include "import/json/json_elements.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/io/limits.h"
#include "import/io/sink.h"
#include "import/text/text.h"
#include "json/scan/byte_runs.h"
#include "json/scan/scan.h"

#include <utility>

namespace ladder::imports {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

Result<bool> JsonElements::fill() {
  std::size_t passed = hold_.value_or(at_);
  // An element over the limit is no longer buffered, only skipped.
  if (hold_ && buffer_.size() - *hold_ > max_element_bytes_) {
    oversized_ = true;
    passed = at_;
  }
  buffer_.erase(0, passed);
  base_ += static_cast<std::int64_t>(passed);
  at_ -= passed;
  if (hold_) hold_ = 0;
  LADDER_TRY(const std::size_t count, pieces_.append_to(buffer_));
  return count > 0;
}

Result<bool> JsonElements::skip_space() {
  for (;;) {
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    if (at_ < buffer_.size()) return true;
    LADDER_TRY(const bool more, fill());
    if (!more) return false;
  }
}

Result<bool> JsonElements::pass_string() {
  for (;;) {
    const char* const end = buffer_.data() + buffer_.size();
    at_ = static_cast<std::size_t>(json::bytes::find_quote_or_backslash(buffer_.data() + at_, end) - buffer_.data());
    if (at_ < buffer_.size() && buffer_[at_] == '"') {
      ++at_;
      return true;
    }
    // A backslash consumes the next byte. If that is not in the buffer yet, read more and keep the backslash.
    if (at_ + 1 < buffer_.size()) {
      at_ += 2;
      continue;
    }
    LADDER_TRY(const bool more, fill());
    if (!more) return false;
  }
}

Result<bool> JsonElements::pass_value() {
  std::size_t depth = 0;
  for (;;) {
    if (at_ == buffer_.size()) {
      LADDER_TRY(const bool more, fill());
      if (!more) return false;
    }
    const char c = buffer_[at_];
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) return true;  // a scalar or an empty value ended
    ++at_;
    if (c == '"') {
      LADDER_TRY(const bool closed, pass_string());
      if (!closed) return false;
    } else if (c == '{' || c == '[') {
      ++depth;
      continue;
    } else if (c == '}' || c == ']') {
      --depth;
    } else {
      continue;
    }
    if (depth == 0) return true;
  }
}

JsonElements::Step JsonElements::cut(std::string why) {
  why_ = std::move(why);
  ended_ = true;
  element_ = {};
  element_offset_ = base_ + static_cast<std::int64_t>(at_);
  return Step::kCut;
}

Result<JsonElements::Step> JsonElements::enter() {
  for (;; ++at_) {
    if (at_ == buffer_.size()) {
      LADDER_TRY(const bool more, fill());
      if (!more) return cut("the file contains no JSON array");
    }
    if (buffer_[at_] == '[' || buffer_[at_] == '{') break;
  }
  if (buffer_[at_++] == '{') return cut("the file contains a JSON object instead of an array");
  return Step::kElement;
}

Result<JsonElements::Step> JsonElements::take_element() {
  hold_ = at_;
  oversized_ = false;
  element_offset_ = base_ + static_cast<std::int64_t>(at_);
  const auto passed = pass_value();
  if (!passed) return std::unexpected(passed.error());
  element_ = std::string_view(buffer_).substr(*hold_, at_ - *hold_);
  hold_.reset();
  if (!*passed) return cut("the file ends in the middle of an element");
  if (oversized_ || element_.size() > max_element_bytes_) {
    element_ = {};
    why_ = format("it is larger than {} bytes", max_element_bytes_);
    return Step::kBad;
  }
  const auto checked = json::check(element_, ladder::limits::kMaxJsonDepth);
  if (checked) return Step::kElement;
  why_ = format("not valid JSON at byte {} of it: {}", checked.error().offset,
                checked.error().invalid_utf8 ? "invalid UTF-8" : checked.error().what);
  return Step::kBad;
}

Result<JsonElements::Step> JsonElements::next() {
  if (ended_) return Step::kEnd;
  const bool first = !std::exchange(started_, true);
  if (first) {
    LADDER_TRY(const Step entered, enter());
    if (entered == Step::kCut) return Step::kCut;
  }
  LADDER_TRY(const bool there, skip_space());
  if (!there) return cut("the file ends before the end of its array");
  if (buffer_[at_] == ']') {
    ended_ = true;
    return Step::kEnd;
  }
  if (!first) {
    if (buffer_[at_] != ',') return cut("a comma is missing between two elements");
    ++at_;
    LADDER_TRY(const bool more, skip_space());
    if (!more) return cut("the file ends before the end of its array");
  }
  return take_element();
}

wire::FileLocation JsonElement::place_of(const json::Value& inside) const {
  const char* const begin = value.text.data();
  const bool within = !repaired && inside.text.data() >= begin && inside.text.data() < begin + value.text.size();
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
      LADDER_CHECK(sink.lost({path, elements.offset()}, format("{} bytes without a readable {}: {}",
                                                               elements.end_offset() - elements.offset(), kind, elements.why())));
      continue;
    }
    JsonElement element;
    element.value = json::value_of(elements.element());
    element.at = {path, elements.offset()};
    element.end = elements.end_offset();
    element.repaired = elements.repaired();
    LADDER_CHECK(take(element));
  }
}

Status scan_elements(Tree& tree, EntryNo entry, SalvagedElements::Accepts accepts, const TakeElement& take) {
  NullSink null_sink;
  return read_elements(tree, entry, "element", accepts, 0, null_sink, take);
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
    element.repaired = true;
    checked = json::check(*text, ladder::limits::kMaxJsonDepth);
  }
  if (!checked) {
    return sink.lost({path, element.repaired ? 0 : before + static_cast<std::int64_t>(checked.error().offset)},
                     format("no readable {} in the file: not valid JSON: {}", kind, checked.error().what));
  }
  element.value = json::value_of(*text);
  element.at = {path, element.repaired ? 0 : before + (element.value.text.data() - text->data())};
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
