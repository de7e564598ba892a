// A second reader of the commands' declarations, beside CLI11's in command_line.cpp.
#include "cli/command_table.h"

#include "cli/command.h"
#include "cli/common_flags.h"

#include <algorithm>

namespace ladder::cli {
namespace {

// "flat|full" → flat, full; nothing when it is no list of plain words.
std::vector<std::string> choices_in(std::string_view value_name) {
  std::vector<std::string> choices;
  if (value_name.find('|') == std::string_view::npos) return choices;
  for (std::size_t at = 0; at <= value_name.size();) {
    const std::size_t end = std::min(value_name.find('|', at), value_name.size());
    choices.emplace_back(value_name.substr(at, end - at));
    at = end + 1;
  }
  const auto plain = [](const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  };
  return std::ranges::all_of(choices, plain) ? choices : std::vector<std::string>();
}

// The names of arguments and values mean the same in every command; only `ID` and a few others depend on where they stand.
Values values_by_name(const CommandPage& command, const ArgumentPage& argument) {
  const std::string& value = argument.is_flag() ? argument.value_name : argument.name;
  const std::string& group = command.group;
  if (argument.name == "--db" || value == "FILE" || value == "PATH" || value == "FILE|FOLDER") return Values::kFiles;
  if (value == "FOLDER") return Values::kFolders;
  if (value == "FORMAT") return Values::kFormats;
  if (argument.name == "ID" && group == "grant") return Values::kGrants;
  if (argument.name == "ID" && group == "token") return Values::kTokens;
  if (argument.name == "--client" && command.name == "revoke") return Values::kClients;
  if (argument.name == "ID" && (command.name == "read" || command.name == "show")) return Values::kRecords;
  if (argument.name == "ID" || argument.name == "CONNECTION_ID" || argument.name == "--connection") return Values::kConnections;
  if (argument.name == "KEY" && group == "connection") return Values::kSources;
  if (argument.name == "--stream" && group == "grant") return Values::kStreamFields;
  if (argument.name == "--stream" || argument.name == "STREAM") return Values::kStreams;
  if (argument.name == "FIELD") return Values::kFieldOf;
  if (argument.name == "--fields") return Values::kFieldList;
  if (argument.name == "--filter") return Values::kFieldFilter;
  return Values::kText;
}

void settle_values(const CommandPage& command, ArgumentPage& argument) {
  argument.choices = choices_in(argument.is_flag() ? argument.value_name : argument.name);
  if (argument.name == "--token") argument.choices = {"env"};
  if (argument.name == "SHELL") argument.choices = {"bash", "zsh", "fish"};
  argument.values = argument.choices.empty() ? values_by_name(command, argument) : Values::kChoices;
}

class Recorder final : public Arguments {
 public:
  explicit Recorder(CommandPage& page) : page_(page) {}

  void word(std::string_view name, std::string&, std::string_view help) override { add_word(name, help, true, false); }
  void optional_word(std::string_view name, std::optional<std::string>&, std::string_view help) override {
    add_word(name, help, false, false);
  }
  void words(std::string_view name, std::vector<std::string>&, std::string_view help) override {
    add_word(name, help, true, true);
  }
  void any_words(std::string_view name, std::vector<std::string>&, std::string_view help) override {
    add_word(name, help, false, true);
  }
  void value(std::string_view flag, std::string_view value_name, std::optional<std::string>&, std::string_view help) override {
    add_flag(flag, value_name, help, false, false);
  }
  void required_value(std::string_view flag, std::string_view value_name, std::string&, std::string_view help) override {
    add_flag(flag, value_name, help, true, false);
  }
  void each_value(std::string_view flag, std::string_view value_name, Take, std::string_view help) override {
    add_flag(flag, value_name, help, false, true);
  }
  void flag(std::string_view flag, bool&, std::string_view help) override { add_flag(flag, "", help, false, false); }
  void example(std::string_view line) override { page_.examples.emplace_back(line); }
  void facts(std::string_view title, std::span<const Fact> list) override {
    page_.facts_title = title;
    for (const Fact& fact : list) page_.facts.emplace_back(fact.name, fact.text);
  }

 private:
  void add_word(std::string_view name, std::string_view help, bool required, bool repeated) {
    page_.words.push_back({std::string(name), "", std::string(help), required, repeated, Values::kText, {}});
    settle_values(page_, page_.words.back());
  }
  void add_flag(std::string_view flag, std::string_view value_name, std::string_view help, bool required, bool repeated) {
    page_.flags.push_back({std::string(flag), std::string(value_name), std::string(help), required, repeated, Values::kText, {}});
    settle_values(page_, page_.flags.back());
  }

  CommandPage& page_;
};

}  // namespace

std::vector<CommandPage> command_table() {
  std::vector<CommandPage> table;
  for (const CommandEntry& entry : all_commands()) {
    CommandPage& page = table.emplace_back(CommandPage{
        std::string(entry.group), std::string(entry.name), std::string(entry.summary), entry.hidden, {}, {}, {}, {}, {}});
    Recorder recorder(page);
    entry.make()->declare(recorder);
  }
  return table;
}

std::vector<ArgumentPage> common_flags() {
  std::vector<ArgumentPage> flags;
  for (const CommonFlag& flag : kCommonFlags) {
    flags.push_back(
        {std::string(flag.name), std::string(flag.value_name), std::string(flag.help), false, false, Values::kText, {}});
    settle_values({}, flags.back());
  }
  return flags;
}

}  // namespace ladder::cli
