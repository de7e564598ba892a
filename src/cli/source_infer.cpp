// ladder source infer: proposes a declaration for a table, for the owner to edit. The table is read by the child process, as all
// outside data is.
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/extractor.h"
#include "cli/shell_word.h"
#include "cli/stop_signal.h"
#include "cli/visible_text.h"
#include "extract/messages.h"

namespace ladder::cli {
namespace {

class SourceInfer final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("FILE", file_, "a CSV, TSV, JSON or NDJSON file");
    arguments.value("--encoding", "NAME", encoding_,
                    "what it is written in: windows-1251, shift_jis (default: told from its bytes)");
    arguments.example("ladder source infer spending.csv > spending.json");
    arguments.example("ladder import spending.csv --manifest spending.json");
  }

  Result<int> run(Context& context) override {
    const StopSignal stop;
    std::vector<std::string> words = {"--infer", file_};
    if (encoding_) words.insert(words.end(), {"--encoding", *encoding_});
    LADDER_TRY(const auto child,
               Extractor::start(extractor_program(context.environment("LADDER_EXTRACT")), words, context.version, stop));
    for (;;) {
      LADDER_TRY(const extract::Frame frame, child->next());
      if (frame.kind == extract::Kind::kFailed) return fail(Code::kInvalidRequest, extract::read_sentence(frame.payload));
      if (frame.kind != extract::Kind::kDeclaration) continue;
      // To be kept as it is; on a terminal the names of columns must not act on it.
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
