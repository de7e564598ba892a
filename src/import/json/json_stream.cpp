#include "import/json/json_stream.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/read_text.h"
#include "import/text/text.h"

#include <algorithm>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kPieceBytes = 256 * limits::kKiB;
constexpr std::size_t kMaxTakenBytes = 64 * limits::kMiB;  // a message, a post, a note
constexpr std::size_t kMaxNameBytes = 4 * limits::kKiB;

class Walker {
 public:
  Walker(Bytes& bytes, const std::string& path, std::string_view kind, const JsonHandler& handler, Sink& sink)
      : pieces_(bytes, kPieceBytes), file_(path), kind_(kind), handler_(handler), sink_(sink) {}

  Status run() {
    LADDER_TRY(const char first, peek());
    if (first == '\xEF') at_ += 3;  // a byte order mark
    LADDER_CHECK(value());
    while (why_.empty() && !frames_.empty()) LADDER_CHECK(step());
    return why_.empty() ? Status{} : sink_.lost({file_, offset()}, format("the rest of the file cannot be read: {}", why_));
  }

 private:
  struct Frame {
    bool is_object = false, is_first = true;
  };

  std::int64_t offset() const { return base_ + static_cast<std::int64_t>(at_); }

  // Returns the byte at at_; NUL at the end of the file.
  Result<char> here() {
    while (at_ >= buffer_.size()) {
      if (hold_ == std::string::npos) {
        base_ += static_cast<std::int64_t>(buffer_.size());
        at_ -= buffer_.size();
        buffer_.clear();
      }
      auto count = pieces_.append_to(buffer_);
      if (!count && count.error().code != Code::kCancelled) {
        why_ = count.error().message;
        return '\0';
      }
      if (!count) return std::unexpected(count.error());
      if (*count == 0) return '\0';
    }
    return buffer_[at_];
  }
  // The same after white space.
  Result<char> peek() {
    for (;;) {
      LADDER_TRY(const char c, here());
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
      ++at_;
    }
  }
  Status stop(std::string_view why) {
    if (why_.empty()) why_ = why;
    return {};
  }

  // The next member, element or end of the innermost frame.
  Status step() {
    LADDER_TRY(const char c, peek());
    Frame& frame = frames_.back();
    if (c == (frame.is_object ? '}' : ']')) {
      ++at_;
      frames_.pop_back();
      if (handler_.leave) LADDER_CHECK(handler_.leave(path_));
      if (!path_.empty()) path_.pop_back();
      return {};
    }
    if (c == '\0') return stop("the file ends too early");
    if (!frame.is_first) {
      if (c != ',') return stop("a comma is missing");
      ++at_;
      LADDER_TRY(const char next, peek());
      if (next == ']' || next == '}') return {};  // a comma before the end
    }
    frame.is_first = false;
    if (!frame.is_object) {
      path_.emplace_back();
      return value();
    }
    LADDER_TRY(const char quote, peek());
    if (quote != '"') return stop("the name of a member is missing");
    const std::size_t begin = hold_ = at_;
    LADDER_CHECK(pass_string());
    std::string name;
    if (why_.empty() && at_ - begin <= kMaxNameBytes && json::check(std::string_view(buffer_).substr(begin, at_ - begin), 1))
      name = json::decode_string(std::string_view(buffer_).substr(begin + 1, at_ - begin - 2));
    hold_ = std::string::npos;
    LADDER_TRY(const char colon, peek());
    if (colon != ':') return stop("a colon is missing");
    ++at_;
    path_.push_back(std::move(name));
    return value();
  }

  // The value at at_, whose path is path_. Entered values stay on the path until they end.
  Status value() {
    LADDER_TRY(const char c, peek());
    if (c == '\0') return stop("the file ends too early");
    const bool is_nested = c == '{' || c == '[';
    const JsonWalk walk = handler_.decide(path_);
    if (walk == JsonWalk::kEnter && is_nested) {
      if (frames_.size() >= ladder::limits::kMaxJsonDepth) return stop("it is nested too deeply");
      ++at_;
      frames_.push_back({c == '{', true});
      return {};
    }
    if (walk == JsonWalk::kTake) LADDER_CHECK(take());
    else LADDER_CHECK(pass(false));
    if (!path_.empty()) path_.pop_back();
    return {};
  }

  Status take() {
    const std::int64_t place = offset();
    hold_ = at_;
    LADDER_CHECK(pass(true));
    if (std::exchange(is_too_large_, false)) {
      return sink_.lost({file_, place}, format("a {} with more than {} bytes", kind_, kMaxTakenBytes));
    }
    std::string text = buffer_.substr(hold_, at_ - hold_);
    drop();
    if (!why_.empty()) return {};
    auto checked = json::check(text, ladder::limits::kMaxJsonDepth);
    if (!checked && checked.error().invalid_utf8)
      text = to_utf8_raw(text), checked = json::check(text, ladder::limits::kMaxJsonDepth);
    if (!checked && handler_.repair) {
      std::string repaired = handler_.repair(text);
      if (const auto again = json::check(repaired, ladder::limits::kMaxJsonDepth); again)
        text = std::move(repaired), checked = again;
    }
    if (!checked) return sink_.lost({file_, place}, format("a {} that is not valid JSON: {}", kind_, checked.error().what));
    return handler_.take(path_, json::value_of(text), place);
  }

  // Moves after the value, and notes if a held one is too large.
  Status pass(bool held) {
    std::size_t depth = 0;
    do {
      LADDER_TRY(const char c, depth == 0 ? peek() : here());
      if (c == '\0' && at_ >= buffer_.size()) return stop("the file ends too early");
      if (held && at_ - hold_ > kMaxTakenBytes) {
        is_too_large_ = true;
        held = false;
        drop();  // the rest is passed without holding it
      }
      if (c == '"') {
        LADDER_CHECK(pass_string());
        if (!why_.empty()) return {};
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return stop("a value is missing");
        --depth, ++at_;
      } else if (depth > 0) {
        ++at_;
      } else {
        LADDER_CHECK(pass_scalar());
      }
    } while (depth > 0);
    return {};
  }

  // Removes what was read from the buffer.
  void drop() {
    base_ += static_cast<std::int64_t>(at_);
    buffer_.erase(0, at_);
    at_ = 0;
    hold_ = std::string::npos;
  }

  Status pass_scalar() {
    const std::int64_t begin = offset();
    for (;;) {
      LADDER_TRY(const char c, here());
      const bool ends = c == '\0' || c == ',' || c == '}' || c == ']' || c == '\n' || c == '\r';
      if (ends) return offset() == begin ? stop("a value is missing") : Status{};
      ++at_;
    }
  }

  // `at_` is the opening quote.
  Status pass_string() {
    ++at_;
    for (;;) {
      LADDER_TRY(const char c, here());
      if (c == '\0' && at_ >= buffer_.size()) return stop("the file ends inside a text");
      if (hold_ != std::string::npos && at_ - hold_ > kMaxTakenBytes + limits::kMiB) return stop("a text is too long");
      ++at_;
      if (c == '"') return {};
      if (c != '\\') continue;
      LADDER_CHECK(here());
      ++at_;
    }
  }

  Pieces pieces_;
  const std::string& file_;
  std::string_view kind_;
  const JsonHandler& handler_;
  Sink& sink_;
  std::string buffer_;
  std::size_t at_ = 0, hold_ = std::string::npos;  // bytes from hold_ on stay in the buffer
  std::int64_t base_ = 0;                          // offset of buffer_[0]
  bool is_too_large_ = false;
  std::vector<Frame> frames_;
  JsonPath path_;
  std::string why_;
};

}  // namespace

Status stream_json(Bytes& bytes, const std::string& path, std::string_view kind, const JsonHandler& handler, Sink& sink) {
  return Walker(bytes, path, kind, handler, sink).run();
}

Status stream_json(Tree& tree, EntryNo entry, std::string_view kind, const JsonHandler& handler, Sink& sink) {
  const std::string& path = tree.entries()[entry].path;
  const auto bytes = tree.open(entry);
  if (!bytes) return sink.lost({path, -1}, bytes.error().message);
  return stream_json(**bytes, path, kind, handler, sink);
}

bool is_path(const JsonPath& path, std::initializer_list<std::string_view> names) { return std::ranges::equal(path, names); }

JsonWalk toward(const JsonPath& path, std::initializer_list<std::string_view> names) {
  if (path.size() > names.size() || !std::equal(path.begin(), path.end(), names.begin())) return JsonWalk::kSkip;
  return path.size() == names.size() ? JsonWalk::kTake : JsonWalk::kEnter;
}

}  // namespace ladder::imports
