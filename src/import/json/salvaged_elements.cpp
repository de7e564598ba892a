// Finds the end of an element by its quotes and brackets only; json::check then validates it. A long element is validated in
// growing pieces, so that damage at its start does not consume the rest of the file.
#include "import/json/salvaged_elements.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "json/scan/byte_runs.h"

#include <algorithm>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kProvenPieceBytes = 1024 * 1024;  // size of the first validated piece; it doubles each time
constexpr std::size_t kTrialBytes = 16 * limits::kMiB;  // the largest element recovered after damage
constexpr std::size_t kCutMargin = 64;                  // an error this close to the end of a piece may be caused by the cut
constexpr std::int64_t kTriedTimes = 32;                // average number of tries per byte before giving up
constexpr std::int64_t kTriedFreely = 64 * static_cast<std::int64_t>(limits::kMiB);

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string fault_text(const json::Fault& fault) {
  return format("not valid JSON at byte {} of it: {}", fault.offset, fault.what);
}

}  // namespace

void SalvagedElements::discard(std::size_t count) {
  buffer_.erase(0, count);
  base_ += static_cast<std::int64_t>(count);
  at_ -= std::min(at_, count);
}

Result<bool> SalvagedElements::fill() {
  if (file_ended_) return false;
  LADDER_TRY(const std::size_t count, pieces_.append_to(buffer_));
  file_ended_ = count == 0;
  return count > 0;
}

Result<bool> SalvagedElements::skip_space() {
  for (;;) {
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    if (at_ < buffer_.size()) return true;
    discard(at_);
    LADDER_TRY(const bool more, fill());
    if (!more) return false;
  }
}

// Finds the end of the value that starts at `from`. The buffer may grow, but positions in it stay valid.
Result<SalvagedElements::Cut> SalvagedElements::end_of_value(std::size_t from, std::size_t most) {
  std::size_t depth = 0, proven = kProvenPieceBytes;
  bool in_string = false;
  for (std::size_t at = from;;) {
    if (at >= buffer_.size()) {
      const std::string_view so_far = std::string_view(buffer_).substr(from);
      if (so_far.size() > most) return Cut{0, format("it is larger than {} bytes", most)};
      if (so_far.size() > proven) {
        proven = 2 * so_far.size();
        const auto checked = json::check(so_far, ladder::limits::kMaxJsonDepth);
        if (!checked && !checked.error().invalid_utf8 && checked.error().offset + kCutMargin < so_far.size())
          return Cut{0, fault_text(checked.error())};
      }
      LADDER_TRY(const bool more, fill());
      if (!more) return Cut{0, "the file ends in the middle of it"};
    }
    if (in_string) {
      const char* const end = buffer_.data() + buffer_.size();
      at = static_cast<std::size_t>(json::bytes::find_quote_or_backslash(buffer_.data() + at, end) - buffer_.data());
      if (at == buffer_.size()) continue;
      in_string = buffer_[at] != '"';
      at += in_string ? 2 : 1;  // a backslash consumes the next byte, even if that is not in the buffer yet
      if (!in_string && depth == 0) return Cut{at, {}};
      continue;
    }
    const char c = buffer_[at];
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) return Cut{at, {}};  // a scalar or an empty value ended
    ++at;
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > ladder::limits::kMaxJsonDepth) return Cut{0, "it is nested too deeply"};
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return Cut{at, {}};
    }
  }
}

void SalvagedElements::hold(std::size_t from, std::size_t end) {
  element_ = repaired() ? std::string_view(repaired_) : std::string_view(buffer_).substr(from, end - from);
  offset_ = place(from);
  end_offset_ = place(end);
  at_ = end;
}

Result<SalvagedElements::Step> SalvagedElements::take() {
  LADDER_TRY(Cut cut, end_of_value(at_, max_element_bytes_));
  if (cut.end == 0) return skip_damage(at_, at_ + 1, std::move(cut.why));
  const std::string_view text = std::string_view(buffer_).substr(at_, cut.end - at_);
  auto checked = json::check(text, ladder::limits::kMaxJsonDepth);
  if (!checked && checked.error().invalid_utf8) {
    repaired_ = to_utf8_raw(text);
    checked = json::check(repaired_, ladder::limits::kMaxJsonDepth);
    if (!checked) repaired_.clear();
  }
  if (!checked) return skip_damage(at_, at_ + 1, fault_text(checked.error()));
  hold(at_, cut.end);
  return Step::kElement;
}

// Finds the next valid and accepted object after `from` and stores it in found_.
Result<bool> SalvagedElements::find_next_valid(std::size_t from) {
  for (std::size_t at = from;;) {
    at = buffer_.find('{', at);
    if (at == std::string::npos) {
      discard(buffer_.size());
      at = 0;
      LADDER_TRY(const bool more, fill());
      if (!more) return false;
      continue;
    }
    if (at > 4 * kPieceBytes) {
      discard(at);
      at = 0;
    }
    std::size_t name = at + 1;
    for (bool more = true; more && (name == buffer_.size() || is_space(buffer_[name]));) {
      if (name < buffer_.size()) {
        ++name;
        continue;
      }
      LADDER_TRY(more, fill());
    }
    if (name < buffer_.size() && buffer_[name] == '"') {
      LADDER_TRY(const Cut cut, end_of_value(at, kTrialBytes));
      tried_ += static_cast<std::int64_t>((cut.end == 0 ? buffer_.size() : cut.end) - at);
      if (cut.end != 0) {
        const std::string_view text = std::string_view(buffer_).substr(at, cut.end - at);
        if (json::check(text, ladder::limits::kMaxJsonDepth) && accepts_(json::value_of(text))) {
          found_ = {at, cut.end};
          return true;
        }
      }
      if (tried_ > kTriedFreely + kTriedTimes * place(buffer_.size())) return false;
    }
    ++at;
  }
}

Result<SalvagedElements::Step> SalvagedElements::skip_damage(std::size_t from, std::size_t search, std::string why) {
  const std::int64_t offset = place(from);
  LADDER_TRY(const bool found, find_next_valid(std::min(search, buffer_.size())));
  first_ = false;
  if (found && place(found_->first) == offset) return next();  // only a comma was missing
  element_ = {};
  offset_ = offset;
  end_offset_ = found ? place(found_->first) : place(buffer_.size());
  why_ = std::move(why);
  if (!found && !file_ended_) why_ += "; the rest of the file is too damaged to look for more";
  ended_ = !found;
  return Step::kLost;
}

Result<SalvagedElements::Step> SalvagedElements::next() {
  repaired_.clear();
  if (const auto found = std::exchange(found_, std::nullopt)) {
    hold(found->first, found->second);
    return Step::kElement;
  }
  if (ended_) return Step::kEnd;
  if (at_ > 4 * kPieceBytes) discard(at_);
  if (!std::exchange(started_, true)) {
    for (bool more = true; more && buffer_.size() < 3;) {
      LADDER_TRY(more, fill());
    }
    if (buffer_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    LADDER_TRY(const bool there, skip_space());
    if (!there) return skip_damage(at_, at_, "the file is empty");
    if (buffer_[at_] != '[') return skip_damage(at_, at_, "the file does not start with a JSON array");
    ++at_;
  }
  LADDER_TRY(const bool there, skip_space());
  if (!there) return skip_damage(at_, at_, "the file ends before the end of its array");
  if (buffer_[at_] == ']') {
    ++at_;
    LADDER_TRY(const bool more, skip_space());
    if (more) return skip_damage(at_, at_, "something follows the end of the array");
    ended_ = true;
    return Step::kEnd;
  }
  if (!std::exchange(first_, false)) {
    if (buffer_[at_] != ',') return skip_damage(at_, at_, "a comma is missing between two elements");
    ++at_;
    LADDER_TRY(const bool more, skip_space());
    if (!more) return skip_damage(at_, at_, "the file ends before the end of its array");
  }
  return take();
}

}  // namespace ladder::imports
