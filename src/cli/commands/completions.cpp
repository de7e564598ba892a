// Parses the words in the order of the command line: a command, then its flags with their values and its own arguments.
#include "cli/commands/completions.h"

#include "cli/invocation/command.h"
#include "cli/invocation/command_line.h"

#include <algorithm>
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

}  // namespace ladder::cli
