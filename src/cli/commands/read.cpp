// ladder read: shows a window of one field, as the owner or as a client, with the exact commands for the surrounding text. On a
// terminal, keys move between windows.
#include "api/field_window.h"
#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/flags/read_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/console.h"
#include "model/record_id.h"
#include "model/window_selector.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kRule = "────────────────────────────────────────────────────────────────────────";

class Read final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the record: CONNECTION/STREAM:KEY, STREAM:KEY or pdpp://record/…");
    arguments.word("FIELD", field_, "a field's name, or a JSON Pointer into one: /blocks/3/text");
    arguments.value("--offset", "N", offset_, "start at this char (default 0)");
    arguments.value("--cursor", "C", cursor_, "continue after an earlier window");
    arguments.value("--q", "TEXT", query_, "the window around the first occurrence of this text");
    arguments.value("--limit", "N", limit_, "chars in the window, 1 to 16384 (default 4096)");
    arguments.value("--before", "N", before_, "with --q: chars before the match, 0 to 8192 (default 2048)");
    arguments.value("--after", "N", after_, "with --q: chars after the match, 0 to 8192 (default 2048)");
    caller_.declare(arguments);
    arguments.example("ladder read notes-home/notes:n1 body");
    arguments.example("ladder read notes-home/notes:n1 body --offset 100000 --limit 500");
    arguments.example("ladder read notes-home/notes:n1 body --q \"quarterly figures\" --before 200 --after 200");
    arguments.example("LADDER_TOKEN=… ladder read notes:n1 /blocks/3/text --token env --json");
  }

  Result<int> run(Context& context) override {
    api::FieldWindowRequest request;
    LADDER_TRY(request.record, model::parse_record_id(id_));
    request.field_path = field_;
    LADDER_TRY(request.window, window_arguments());
    LADDER_CHECK(model::checked(request.window));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    LADDER_TRY(api::FieldWindow window, session->server().windows().read(access, request));
    Console& console = context.console;
    if (console.json()) {
      console.out(api::to_json(window) + "\n");
      return kDone;
    }
    // A terminal reads keys; other output gets the commands.
    auto keyboard = console.out_is_terminal() && !window.complete() ? Keyboard::open() : std::nullopt;
    console.out(as_text(context, window) + (keyboard ? "" : next_commands(context, window)));
    if (keyboard) {
      LADDER_CHECK(walk(context, session->server(), access, request, std::move(window)));
    }
    return kDone;
  }

 private:
  Result<model::WindowArguments> window_arguments() const {
    model::WindowArguments window;
    window.cursor = cursor_;
    window.q = query_;
    const auto number = [](const std::optional<std::string>& text, std::string_view flag,
                           std::optional<std::int64_t>& into) -> Status {
      if (!text) return {};
      LADDER_TRY(into, model::parse_window_integer(*text, flag));
      return {};
    };
    LADDER_CHECK(number(offset_, "offset_chars", window.offset_chars));
    LADDER_CHECK(number(limit_, "limit_chars", window.limit_chars));
    LADDER_CHECK(number(before_, "before_chars", window.before_chars));
    LADDER_CHECK(number(after_, "after_chars", window.after_chars));
    return window;
  }

  std::string as_text(const Context& context, const api::FieldWindow& window) const {
    const Console& console = context.console;
    const VisibleText text = visible_text(window.text);
    std::string out = console.paint_out(Tone::kStrong, visible_label(model::format_record_id(window.record)) + "  " +
                                                           visible_label(window.path)) +
                      "\n" + facts(window, text.escaped);
    out += console.paint_out(Tone::kFaint, kRule) + "\n" + text.text;
    if (!text.text.ends_with('\n')) out += '\n';
    return out + console.paint_out(Tone::kFaint, kRule) + "\n";
  }

  std::string next_commands(const Context& context, const api::FieldWindow& window) const {
    std::string out;
    const auto way = [&](std::string_view label, const std::string& cursor) {
      if (!cursor.empty()) out += format("{:<11} {}\n", label, command(context, window, cursor));
    };
    way("next", window.next_cursor);
    way("previous", window.previous_cursor);
    way("next match", window.next_match_cursor);
    if (window.complete()) out += "This is the complete field.\n";
    return out + caller_.hint();
  }

  // Shows windows until the user quits. A key for a window that does not exist has no effect.
  Status walk(const Context& context, server::ResourceServer& server, const server::Access& access,
              api::FieldWindowRequest request, api::FieldWindow window) const {
    Console& console = context.console;
    for (;;) {
      const std::string prompt = keys_line(window);
      console.out(console.paint_out(Tone::kFaint, prompt));
      const Key key = Keyboard::read();
      console.out("\r" + std::string(static_cast<std::size_t>(columns_of(prompt)), ' ') + "\r");
      if (key == Key::kQuit || console.output_failed()) return {};
      const std::string& cursor = key == Key::kNext        ? window.next_cursor
                                  : key == Key::kPrevious  ? window.previous_cursor
                                  : key == Key::kNextMatch ? window.next_match_cursor
                                                           : std::string();
      if (cursor.empty()) continue;
      const std::optional<std::int64_t> limit = request.window.limit_chars;
      request.window = {};
      request.window.cursor = cursor;
      request.window.limit_chars = limit;
      auto further = server.windows().read(access, request);
      if (!further && further.error().code == Code::kQueryNotFound) {
        window.next_match_cursor.clear();
        console.out("No more matches.\n");
        continue;
      }
      if (!further) return std::unexpected(further.error());
      window = std::move(*further);
      console.out("\n" + as_text(context, window));
    }
  }

  // Lists the keys that work at this window.
  static std::string keys_line(const api::FieldWindow& window) {
    std::string line = format("{}%", window.size_chars == 0 ? 100 : window.end_chars * 100 / window.size_chars);
    if (!window.next_cursor.empty()) line += "  n next";
    if (!window.previous_cursor.empty()) line += "  p previous";
    if (!window.next_match_cursor.empty()) line += "  m next match";
    return line + "  q quit ";
  }

  static std::string facts(const api::FieldWindow& window, std::int64_t escaped) {
    std::string line = format("{}{}, chars {} to {} of {}", window.text_like ? "" : "base64 ", window.type,
                              grouped(window.start_chars), grouped(window.end_chars), grouped(window.size_chars));
    if (!window.mime_type.empty()) line += ", " + visible_label(window.mime_type);
    if (window.match) line += format(", match at {} to {}", grouped(window.match->start_chars), grouped(window.match->end_chars));
    if (escaped > 0) line += format(", {} control characters shown as ⟦U+…⟧", grouped(escaped));
    return line + (window.digest.empty() ? "" : "\n" + window.digest) + "\n";
  }

  std::string command(const Context& context, const api::FieldWindow& window, const std::string& cursor) const {
    std::string line = "ladder read " + shell_word(model::format_record_id(window.record)) + " " + shell_word(window.path) +
                       " --cursor " + shell_word(cursor);
    if (limit_) line += " --limit " + *limit_;
    return line + caller_.flags() + context.store_flags();
  }

  std::string id_, field_;
  std::optional<std::string> offset_, cursor_, query_, limit_, before_, after_;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_read() { return std::make_unique<Read>(); }

}  // namespace ladder::cli
