// Parses the words in the order of the command line: a command, then its flags with their values and its own arguments.
#include "cli/commands/completions.h"

#include "app/import/extractor.h"
#include "base/text/visible_text.h"
#include "cli/commands/store_names.h"
#include "cli/invocation/command.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/failure.h"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::cli {
namespace {

using WordList = std::vector<std::string>;

const ArgumentPage* flag_named(const std::vector<ArgumentPage>& flags, std::string_view word) {
  const auto found = std::ranges::find(flags, word, &ArgumentPage::name);
  return found == flags.end() ? nullptr : &*found;
}

class Walk {
 public:
  Walk(const WordList& words, const Lookup& lookup)
      : words_(words), lookup_(lookup), table_(command_table()), common_(common_flags()) {}

  Completion complete() {
    if (words_.empty()) return {};
    for (std::size_t at = 0; at + 1 < words_.size(); ++at) {
      if (!take(words_[at])) return {};
    }
    return here(words_.back());
  }

  // Returns every value among the words, with lists split into their elements.
  std::vector<NamedValue> named() {
    for (const std::string& word : words_) {
      const ArgumentPage* flag = pending_;
      const std::size_t given = given_.size();
      if (!take(word)) break;
      if (flag != nullptr) name(*flag, word);
      else if (pending_ == nullptr && word.starts_with("--") && word.find('=') != std::string::npos && !only_words_) {
        if (const ArgumentPage* one = find_flag(word.substr(0, word.find('=')))) name(*one, word.substr(word.find('=') + 1));
      } else if (given_.size() > given && given < command_->words.size()) {
        name(command_->words[given], word);
      }
    }
    return std::move(named_);
  }

 private:
  void name(const ArgumentPage& argument, const std::string& value) {
    const std::string subject = given_.empty() ? "" : given_.front();
    const auto add = [&](Values values, std::string text, std::string before) {
      named_.push_back({values, std::move(text), std::move(before), argument.choices});
    };
    const auto add_fields = [&](const std::string& list, const std::string& of) {
      for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        add(Values::kFieldOf, list.substr(at, end - at), of);
        at = end + 1;
      }
    };
    const std::size_t colon = value.find(':');
    switch (argument.values) {
      case Values::kFieldList:
        add_fields(value, subject);
        break;
      case Values::kFieldFilter:
        add(Values::kFieldOf, value.substr(0, value.find_first_of(".=")), subject);
        break;
      case Values::kStreamFields:
        add(value.substr(0, colon).find('/') == std::string::npos ? Values::kStreams : Values::kStreamFields,
            value.substr(0, colon), "");
        if (colon != std::string::npos) add_fields(value.substr(colon + 1), value.substr(0, colon));
        break;
      case Values::kRecords:
        if (value.starts_with("pdpp:") || colon == std::string::npos) break;
        add(value.substr(0, colon).find('/') == std::string::npos ? Values::kStreams : Values::kStreamFields,
            value.substr(0, colon), "");
        break;
      case Values::kFieldOf:
        if (!value.starts_with('/')) add(Values::kFieldOf, value, subject);
        break;
      default:
        add(argument.values, value, "");
    }
  }

  // Processes a word before the cursor. Returns false if the word is invalid, so that nothing can be completed after it.
  bool take(const std::string& word) {
    if (pending_ != nullptr) {
      pending_ = nullptr;
      return true;
    }
    if (!only_words_ && word == "--") {
      only_words_ = true;
      return true;
    }
    if (!only_words_ && word.starts_with("-")) {
      const std::string name = word.substr(0, word.find('='));
      const ArgumentPage* flag = find_flag(name);
      if (flag == nullptr) return command_ != nullptr;  // a mistyped flag: continue as if it took no value
      used_.insert(name);
      if (flag->takes_value() && word.find('=') == std::string::npos) pending_ = flag;
      return true;
    }
    if (command_ != nullptr) {
      given_.push_back(word);
      return true;
    }
    return pick(word);
  }

  bool pick(const std::string& word) {
    if (group_.empty() && std::ranges::any_of(all_groups(), [&](const GroupEntry& group) { return group.name == word; })) {
      group_ = word;
      return true;
    }
    const auto found =
        std::ranges::find_if(table_, [&](const CommandPage& command) { return command.group == group_ && command.name == word; });
    if (found == table_.end()) return false;
    command_ = &*found;
    return true;
  }

  const ArgumentPage* find_flag(std::string_view name) const {
    if (const ArgumentPage* flag = command_ == nullptr ? nullptr : flag_named(command_->flags, name)) return flag;
    return flag_named(common_, name);
  }

  Completion here(const std::string& typed) const {
    if (pending_ != nullptr) return values_of(*pending_, typed, "");
    if (!only_words_ && typed.starts_with("-")) {
      const std::size_t equals = typed.find('=');
      if (equals == std::string::npos) return flags(typed);
      const ArgumentPage* flag = find_flag(typed.substr(0, equals));
      if (flag == nullptr || !flag->takes_value()) return {};
      return values_of(*flag, typed.substr(equals + 1), typed.substr(0, equals + 1));
    }
    if (command_ == nullptr) return commands(typed);
    if (command_->words.empty()) return {};
    const bool beyond = given_.size() >= command_->words.size();
    if (beyond && !command_->words.back().repeated) return {};
    return values_of(command_->words[beyond ? command_->words.size() - 1 : given_.size()], typed, "");
  }

  Completion commands(const std::string& typed) const {
    Completion found;
    const auto add = [&](std::string_view name, std::string_view help) {
      if (name.starts_with(typed)) found.candidates.push_back({std::string(name), std::string(help)});
    };
    if (group_.empty()) {
      for (const GroupEntry& group : all_groups()) add(group.name, group.summary);
    }
    for (const CommandPage& command : table_) {
      if (!command.hidden && command.group == group_) add(command.name, command.summary);
    }
    return found;
  }

  Completion flags(const std::string& typed) const {
    Completion found;
    const auto add = [&](const std::vector<ArgumentPage>& flags) {
      for (const ArgumentPage& flag : flags) {
        const bool again = flag.repeated || !used_.contains(flag.name);
        if (again && flag.name.starts_with(typed)) found.candidates.push_back({flag.name, flag.help});
      }
    };
    if (command_ != nullptr) add(command_->flags);
    add(common_);
    return found;
  }

  // `front` is the text before the value in the same word: "--order=".
  Completion values_of(const ArgumentPage& argument, const std::string& typed, const std::string& front) const {
    Completion found;
    const auto keep = [&](const Candidate& candidate) {
      if (candidate.text.starts_with(typed)) found.candidates.push_back({front + candidate.text, candidate.help});
    };
    switch (argument.values) {
      case Values::kText:
        break;
      case Values::kFiles:
        found.files = Completion::Files::kFiles;
        break;
      case Values::kFolders:
        found.files = Completion::Files::kFolders;
        break;
      case Values::kChoices:
        for (const std::string& choice : argument.choices) keep({choice, ""});
        break;
      case Values::kFieldOf:
      case Values::kFieldFilter:
        if (!given_.empty()) std::ranges::for_each(lookup_(argument.values, given_.front()), keep);
        break;
      case Values::kFieldList:  // as after the colon of STREAM:field,…
        if (!given_.empty()) {
          const std::string stream = given_.front() + ":";
          for (const Candidate& one : lookup_(Values::kStreamFields, stream + typed))
            keep({one.text.substr(stream.size()), one.help});
        }
        break;
      default:
        std::ranges::for_each(lookup_(argument.values, typed), keep);
    }
    return found;
  }

  const WordList& words_;
  const Lookup& lookup_;
  std::vector<CommandPage> table_;
  std::vector<ArgumentPage> common_;
  std::string group_;
  const CommandPage* command_ = nullptr;
  const ArgumentPage* pending_ = nullptr;  // a flag that still needs its value
  bool only_words_ = false;                // after --
  std::set<std::string> used_;
  WordList given_;  // the command's own arguments so far
  std::vector<NamedValue> named_;
};

}  // namespace

Completion complete(const std::vector<std::string>& words, const Lookup& lookup) { return Walk(words, lookup).complete(); }

std::vector<NamedValue> named_values(const std::vector<std::string>& words) {
  const Lookup nothing = [](Values, std::string_view) { return std::vector<Candidate>(); };
  return Walk(words, nothing).named();
}

// ladder completions: prints a script for bash, zsh or fish that calls `ladder complete` for candidates. The scripts contain no
// command names, so they work with every version of the program.

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
