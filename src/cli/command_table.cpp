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

// The names of arguments and values mean the same in every command; only `ID` depends on where it stands.
void settle_values(const CommandPage& command, ArgumentPage& argument) {
  const std::string& value = argument.is_flag() ? argument.value_name : argument.name;
  const auto is = [&](std::string_view name) { return argument.name == name; };
  if (argument.choices = choices_in(value); !argument.choices.empty()) argument.values = Values::kChoices;
  else if (is("--token")) argument.values = Values::kChoices, argument.choices = {"env"};
  else if (is("SHELL")) argument.values = Values::kChoices, argument.choices = {"bash", "zsh", "fish"};
  else if (value == "FILE" || value == "PATH" || is("--db")) argument.values = Values::kFiles;
  else if (value == "FOLDER") argument.values = Values::kFolders;
  else if (is("--connection") || value == "CONNECTION" || (is("ID") && command.group == "connection"))
    argument.values = Values::kConnections;
  else if (is("ID") && command.group == "grant") argument.values = Values::kGrants;
  else if (is("ID") && command.name == "read") argument.values = Values::kRecords;
  else if (is("ID")) argument.values = Values::kConnections;
  else if (is("FIELD")) argument.values = Values::kFieldOf;
  else if (is("--fields")) argument.values = Values::kFieldList;
  else if (is("--filter")) argument.values = Values::kFieldFilter;
  else if (is("KEY") && command.group == "connection") argument.values = Values::kSources;
  else if (is("--stream")) argument.values = command.group == "grant" ? Values::kStreamFields : Values::kStreams;
  else if (is("STREAM")) argument.values = Values::kStreams;
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
    CommandPage& page = table.emplace_back(
        CommandPage{std::string(entry.group), std::string(entry.name), std::string(entry.summary), entry.hidden, {}, {}, {}});
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
