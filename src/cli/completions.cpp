// ladder completions: a script for bash, zsh or fish that asks `ladder complete` what may stand at the cursor. The scripts know
// nothing of the commands, so they fit every version of the program.
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"

#include <array>

namespace ladder::cli {
namespace {

// bash takes `:` and `=` for breaks between words: they are put together again, and of what is offered only the part behind the
// last break goes onto the line.
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
    return fail(Code::kInvalidRequest, "there are completions for bash, zsh and fish", "shell");
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completions() { return std::make_unique<Completions>(); }

}  // namespace ladder::cli
