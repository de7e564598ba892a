// Splits at the first "/", then at the first ":" after it, then at commas.
#include "cli/flags/stream_words.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/flags/time_words.h"

namespace ladder::cli {

Result<server::GrantSelection> parse_stream_word(std::string_view text) {
  const auto complain = [&](std::string_view what) {
    return fail(Code::kInvalidRequest,
                format("--stream '{}': {}; write [CONNECTION/]STREAM[:field,…]", visible_label(text), what), "stream");
  };
  server::GrantSelection selection;
  std::string_view rest = text;
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    selection.connection_id = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (selection.connection_id.empty()) return complain("the connection before '/' is empty");
  }
  const auto colon = rest.find(':');
  selection.stream = rest.substr(0, colon);
  if (selection.stream.empty()) return complain("the stream's name is empty");
  if (colon == std::string_view::npos) return selection;
  rest.remove_prefix(colon + 1);
  for (;;) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma).empty()) return complain("a field's name is empty");
    selection.fields.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return selection;
    rest.remove_prefix(comma + 1);
  }
}

Result<server::GrantSelection*> StreamWords::last(std::string_view flag) {
  if (!selections_.empty()) return &selections_.back();
  return fail(Code::kInvalidRequest, format("--{} must follow a --stream or --connection", flag), std::string(flag));
}

Status StreamWords::stream(std::string_view text) {
  LADDER_TRY(auto selection, parse_stream_word(text));
  selections_.push_back(std::move(selection));
  return {};
}

Status StreamWords::connection(std::string_view text) {
  if (text.empty()) return fail(Code::kInvalidRequest, "--connection is empty; use a connection id", "connection");
  server::GrantSelection selection;
  selection.connection_id = text;
  selection.stream = "*";
  selections_.push_back(std::move(selection));
  return {};
}

Status StreamWords::since(std::string_view text) {
  LADDER_TRY(server::GrantSelection * selection, last("since"));
  LADDER_TRY(selection->since, parse_time_word(text, "since", Direction::kAgo, Clock::system().now()));
  return {};
}

Status StreamWords::until(std::string_view text) {
  LADDER_TRY(server::GrantSelection * selection, last("until"));
  LADDER_TRY(selection->until, parse_time_word(text, "until", Direction::kAgo, Clock::system().now()));
  return {};
}

Status StreamWords::record(std::string_view text) {
  LADDER_TRY(server::GrantSelection * selection, last("record"));
  if (text.empty()) return fail(Code::kInvalidRequest, "--record is empty; use a record's key", "record");
  selection->records.emplace_back(text);
  return {};
}

}  // namespace ladder::cli
