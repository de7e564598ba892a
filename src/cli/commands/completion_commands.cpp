// ladder completions: prints a script for bash, zsh or fish that calls `ladder complete` for candidates. The scripts contain no
// command names, so they work with every version of the program.
#include "app/import/extractor.h"
#include "base/text/visible_text.h"
#include "cli/commands/completions.h"
#include "cli/commands/store_names.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"

#include <array>

namespace ladder::cli {
namespace {

// bash splits words at `:` and `=`. The script joins them again and inserts only the part of a candidate after the last break.
constexpr std::string_view kBash = R"sh(# bash completion for ladder; put this into ~/.bashrc:  source <(ladder completions bash)
_ladder() {
  local words=() rest="$COMP_LINE" word bare i current line text answer=() files
  if [[ -z $rest ]]; then
    words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
  else
    for ((i = 0; i <= COMP_CWORD; i++)); do
      word=${COMP_WORDS[i]}
      bare=${rest#"${rest%%[![:space:]]*}"}
      if ((i > 0)) && [[ $bare == "$rest" && -n $word ]]; then words[${#words[@]} - 1]+=$word; else words+=("$word"); fi
      rest=${bare#"$word"}
    done
  fi
  current=${words[${#words[@]} - 1]}
  COMPREPLY=()
  mapfile -t answer < <(ladder complete -- "${words[@]:1}" 2>/dev/null)
  files=${answer[0]:-none}
  for line in "${answer[@]:1}"; do
    text=${line%%$'\t'*}
    if [[ $current == *[:=]* && $COMP_WORDBREAKS == *[:=]* ]]; then text=${text#"${current%"${current##*[:=]}"}"}; fi
    COMPREPLY+=("$text")
  done
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[:/=] ]]; then compopt -o nospace 2>/dev/null; fi
  case $files in
    files) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${current##*=}") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "${current##*=}") ;;
  esac
}
complete -F _ladder ladder
)sh";

constexpr std::string_view kZsh = R"sh(#compdef ladder
# zsh completion for ladder; as a file _ladder in a folder of $fpath, or in ~/.zshrc:  source <(ladder completions zsh)
_ladder() {
  local -a answer offered open
  local line text help
  answer=("${(@f)$(ladder complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)answer[2,-1]}"; do
    text=${line%%$'\t'*} help=${line#*$'\t'}
    if [[ $text == *[:/=] ]]; then open+=("${text//:/\\:}${help:+:$help}"); else offered+=("${text//:/\\:}${help:+:$help}"); fi
  done
  (( $#offered )) && _describe -t words ladder offered
  (( $#open )) && _describe -t words ladder open -S ''
  case $answer[1] in
    files) [[ $PREFIX == --*=* ]] && compset -P '*='; _files ;;
    folders) [[ $PREFIX == --*=* ]] && compset -P '*='; _files -/ ;;
  esac
}
if [[ $funcstack[1] == _ladder ]]; then _ladder "$@"; elif (( $+functions[compdef] )); then compdef _ladder ladder; fi
)sh";

constexpr std::string_view kFish =
    R"sh(# fish completion for ladder; as ~/.config/fish/completions/ladder.fish, or:  ladder completions fish | source
function __ladder_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (ladder complete -- $words[2..-1] 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
    end
    for line in $answer[2..-1]
        echo $line
    end
end
complete -c ladder -e
complete -c ladder -f -a '(__ladder_complete)'
)sh";

struct Script {
  std::string_view shell, text;
};
constexpr std::array kScripts = {Script{"bash", kBash}, Script{"zsh", kZsh}, Script{"fish", kFish}};

class Completions final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("SHELL", shell_, "bash, zsh or fish");
    arguments.example("source <(ladder completions bash)                                        # bash, in ~/.bashrc");
    arguments.example(
        "source <(ladder completions zsh)                                         # zsh, in ~/.zshrc after compinit");
    arguments.example("ladder completions fish > ~/.config/fish/completions/ladder.fish         # fish");
  }

  Result<int> run(Context& context) override {
    for (const Script& script : kScripts) {
      if (script.shell != shell_) continue;
      context.console.out(script.text);
      return kDone;
    }
    return fail(Code::kInvalidRequest, "completions are available for bash, zsh and fish", "shell");
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completions() { return std::make_unique<Completions>(); }

// ladder complete: prints the candidates at the cursor, for the scripts of `ladder completions`. The first line says whether
// files or folders are also candidates. Each further line is a candidate, a tab and a short help text. The command never fails;
// it prints no candidates instead.

namespace {

constexpr std::size_t kMaxFormats = 100;

// Returns the names and descriptions of the formats that ladder-extract reads; empty if it cannot be run.
std::vector<Candidate> import_formats(const Context& context) {
  const app::StopSignal stop;
  std::vector<Candidate> found;
  const auto child =
      app::Extractor::start(app::extractor_program(context.environment("LADDER_EXTRACT")), {"--formats"}, context.version, stop);
  if (!child) return found;
  while (found.size() < kMaxFormats) {
    const auto frame = (*child)->next();
    if (!frame || frame->kind != imports::wire::Kind::kFormat) return found;
    const std::size_t tab = frame->payload.find('\t');
    if (tab != std::string::npos) found.push_back({frame->payload.substr(0, tab), frame->payload.substr(tab + 1)});
  }
  return found;
}

class Complete final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("WORDS", words_, "the words after ladder, up to the cursor; put -- before them");
    arguments.example("ladder complete -- connection ''");
  }

  Result<int> run(Context& context) override {
    StoreNames names(context, words_);
    const Completion found = complete(words_, [&](Values values, std::string_view before) {
      // The shell inserts a name without quoting it, so names that it would split or expand are left out.
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
