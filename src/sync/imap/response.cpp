#include "sync/imap/response.h"

#include "base/text/format.h"

#include <array>
#include <utility>

namespace ladder::sync::imap {
namespace {

using Condition = Response::Condition;

Condition condition_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Condition>, 5> kWords = {{{"OK", Condition::kOk},
                                                                             {"NO", Condition::kNo},
                                                                             {"BAD", Condition::kBad},
                                                                             {"BYE", Condition::kBye},
                                                                             {"PREAUTH", Condition::kPreauth}}};
  const std::string upper = upper_case(word.substr(0, 8));
  for (const auto& [name, condition] : kWords) {
    if (upper == name) return condition;
  }
  return Condition::kNone;
}

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// The text of a status is free, so a "{5}" at its end is not a literal.
bool is_status(std::string_view line) {
  const std::string_view tag = take_word(line);
  return tag == "+" || condition_of(take_word(line)) != Condition::kNone;
}

// Returns the size of the literal that a line announces at its end.
std::optional<std::uint64_t> announced_literal(std::string_view line) {
  if (!line.ends_with('}')) return std::nullopt;
  const std::size_t begin = line.rfind('{');
  if (begin == std::string_view::npos) return std::nullopt;
  return parse_number(line.substr(begin + 1, line.size() - begin - 2));
}

std::unexpected<Error> too_large(std::string_view what, std::size_t limit) {
  return fail(Code::kRsProtocol, format("the mail server sent a response with {} over the limit of {}", what, limit));
}

void read_status(std::string_view rest, Response& into) {
  into.text = rest;
  if (!rest.starts_with('[')) return;
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos) return;
  std::string_view code = rest.substr(1, end - 1);
  into.code = upper_case(take_word(code));
  into.code_argument = code;
  into.text = rest.substr(std::min(end + 2, rest.size()));
}

}  // namespace

void ResponseSplitter::drop_taken() {
  buffer_.erase(0, taken_);
  scanned_ -= taken_;
  line_begin_ -= taken_;
  taken_ = 0;
}

Result<bool> ResponseSplitter::next(std::string_view& response) {
  // Moving the rest to the front for every response would cost the square of a large read.
  if (taken_ > buffer_.size() / 2 || taken_ > limits::kMiB) drop_taken();
  for (;;) {
    if (scanned_ > buffer_.size()) return false;  // inside a literal
    const std::size_t end = buffer_.find("\r\n", scanned_);
    const std::size_t line_bytes = std::min(end, buffer_.size()) - taken_ - std::min(literal_bytes_, buffer_.size() - taken_);
    if (line_bytes > kMaxLineBytes) return too_large("a line", kMaxLineBytes);
    if (end == std::string::npos) {
      if (buffer_.size() > scanned_) scanned_ = buffer_.size() - 1;  // the last byte may be half of a line end
      return false;
    }
    const std::string_view line = std::string_view(buffer_).substr(line_begin_, end - line_begin_);
    const auto size = line_begin_ == taken_ && is_status(line) ? std::nullopt : announced_literal(line);
    if (!size) {
      response = std::string_view(buffer_).substr(taken_, end - taken_);
      taken_ = scanned_ = line_begin_ = end + 2;
      literal_bytes_ = literals_ = 0;
      return true;
    }
    if (*size > kMaxLiteralBytes - literal_bytes_) return too_large("data", kMaxLiteralBytes);
    if (++literals_ > kMaxLiterals) return too_large("a number of strings", kMaxLiterals);
    literal_bytes_ += *size;
    scanned_ = line_begin_ = end + 2 + *size;
  }
}

Result<Response> parse_response(std::string_view bytes) {
  Response response;
  std::string_view rest = bytes;
  const std::string_view tag = take_word(rest);
  if (tag.empty()) return fail(Code::kRsProtocol, "the mail server sent an empty response");
  if (tag == "+") {
    response.kind = Response::Kind::kContinuation;
    response.text = rest;
    return response;
  }
  std::string_view after = rest;
  std::string_view name = take_word(after);
  response.condition = condition_of(name);
  if (tag != "*") {
    response.kind = Response::Kind::kTagged;
    response.tag = tag;
    if (response.condition == Condition::kNone)
      return fail(Code::kRsProtocol, "the mail server ended a command without a result");
  } else if (response.condition != Condition::kNone) {
    response.kind = Response::Kind::kStatus;
  }
  if (response.condition != Condition::kNone) {
    read_status(after, response);
    return response;
  }
  response.number = parse_number(name);
  if (response.number) name = take_word(after);
  response.name = upper_case(name);
  LADDER_TRY(response.values, parse_values(after));
  return response;
}

}  // namespace ladder::sync::imap
