// ladder source add: adds a source declaration, or a newer version of an existing one.
#include "app/import/extractor.h"
#include "app/stop_signal.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/shipped_sources.h"
#include "cli/terminal/input_file.h"
#include "import/wire/messages.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

class SourceAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("FILE", file_, "the declaration, JSON; - is standard input");
    arguments.value("--key", "KEY", key_, "short name of the source (default: the last path segment of source.id)");
    arguments.example("ladder source add notes.json");
    arguments.example("ladder source add notes.json --key my-notes");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const std::string declaration, read_whole_file(file_, limits::kMaxDeclarationBytes));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const server::AddedSource added, session->server().sources().add(owner, declaration, key_.value_or("")));
    if (!added.indexed) LADDER_CHECK(finish_indexes(*session, owner, context.console));
    context.console.out(context.console.json() ? as_json(added) : as_text(added));
    return kDone;
  }

 private:
  static std::string as_json(const server::AddedSource& added) {
    json::Writer out;
    out.begin_object()
        .member("source_id", added.source_id)
        .member("key", added.key)
        .member("unenforced", added.unenforced)
        .key("always_granted")
        .begin_array();
    for (const auto& stream : added.always_granted) {
      out.begin_object().member("stream", stream.stream).member("fields", stream.fields).end_object();
    }
    out.end_array().end_object();
    return out.take() + "\n";
  }

  static std::string as_text(const server::AddedSource& added) {
    std::string text = format("Source {} ({}) is accepted.\n", added.key, visible_label(added.source_id));
    if (!added.unenforced.empty()) text += "These schema keywords are accepted but not enforced:\n";
    for (const std::string& keyword : added.unenforced) text += "  " + visible_label(keyword) + "\n";
    if (!added.always_granted.empty()) {
      text += "These fields are required but not keys, so every grant of their stream includes them, whatever fields it names:\n";
      for (const auto& stream : added.always_granted) {
        std::string names;
        for (const std::string& field : stream.fields) names += (names.empty() ? "" : ", ") + visible_label(field);
        text += format("  {}: {}\n", visible_label(stream.stream), names);
      }
      text += "To let grants omit them, remove them from `required` (with a new declaration_version).\n";
    }
    return text + format("Next: ladder connection add {}\n", added.key);
  }

  std::string file_;
  std::optional<std::string> key_;
};

}  // namespace

std::unique_ptr<Command> make_source_add() { return std::make_unique<SourceAdd>(); }

// ladder source infer: proposes a declaration for a table, for the owner to edit. The child process parses the table,
// as it does all untrusted data.

namespace {

class SourceInfer final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("FILE", file_, "a CSV, TSV, JSON or NDJSON file");
    arguments.value("--encoding", "NAME", encoding_, "its text encoding: windows-1251, shift_jis (default: detected)");
    arguments.example("ladder source infer spending.csv > spending.json");
    arguments.example("ladder import spending.csv --manifest spending.json");
  }

  Result<int> run(Context& context) override {
    const app::StopSignal stop;
    std::vector<std::string> words = {"--infer", file_};
    if (encoding_) words.insert(words.end(), {"--encoding", *encoding_});
    LADDER_TRY(const auto child, app::Extractor::start(app::extractor_program(context.environment("LADDER_EXTRACT")), words,
                                                       context.version, stop));
    for (;;) {
      LADDER_TRY(const imports::wire::Frame frame, child->next());
      if (frame.kind == imports::wire::Kind::kFailed)
        return fail(Code::kInvalidRequest, imports::wire::read_sentence(frame.payload));
      if (frame.kind != imports::wire::Kind::kDeclaration) continue;
      // A file gets the exact text. On a terminal, column names must not act as control sequences.
      context.console.out(context.console.out_is_terminal() ? visible_text(frame.payload).text : frame.payload);
      if (!context.console.json()) {
        context.console.err(format("ladder: edit this, then: ladder import {}{} --manifest YOUR.json\n", shell_word(file_),
                                   encoding_ ? " --encoding " + shell_word(*encoding_) : ""));
      }
      return kDone;
    }
  }

 private:
  std::string file_;
  std::optional<std::string> encoding_;
};

}  // namespace

std::unique_ptr<Command> make_source_infer() { return std::make_unique<SourceInfer>(); }

}  // namespace ladder::cli
