// ladder complete: what may stand at the cursor, for the scripts of `ladder completions`. The first line says whether files or
// folders fit too, then comes a candidate a line, with a tab and a short help behind it. It never fails: where there is nothing
// to offer, nothing is offered.
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/import_formats.h"
#include "cli/shell_word.h"
#include "cli/store_names.h"
#include "cli/visible_text.h"

namespace ladder::cli {
namespace {

class Complete final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("WORDS", words_, "those after ladder, up to the cursor; put -- before them");
    arguments.example("ladder complete -- connection ''");
  }

  Result<int> run(Context& context) override {
    StoreNames names(context, words_);
    const Completion found = complete(words_, [&](Values values, std::string_view before) {
      // The shell puts a name on the command line as it is: what it would read as more than a word stays out.
      std::vector<Candidate> all = values == Values::kFormats ? import_formats(context) : names.find(values, before);
      std::erase_if(all, [](const Candidate& one) {
        const std::string_view name = std::string_view(one.text).substr(0, one.text.find('='));
        return shell_word(name) != name;
      });
      return all;
    });
    std::string out = found.files == Completion::Files::kFiles     ? "files\n"
                      : found.files == Completion::Files::kFolders ? "folders\n"
                                                                   : "none\n";
    for (const Candidate& candidate : found.candidates) out += candidate.text + "\t" + visible_label(candidate.help) + "\n";
    context.console.out(out);
    return kDone;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace ladder::cli
