// Builds one CLI::App per command from the command's own declaration. CLI11's exceptions are handled here.
#include "cli/invocation/command_line.h"

#include "base/text/format.h"
#include "base/text/nearest.h"
#include "base/text/visible_text.h"
#include "cli/help/topics.h"
#include "cli/invocation/command_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace ladder::cli {
namespace {

constexpr std::array<std::string_view, 2> kFlagsWithValue = {"--db", "--owner"};
constexpr std::size_t kHelpColumn = 34;

std::string text_of(std::string_view view) { return std::string(view); }

void add_common(CLI::App& app, CommonFlags& flags) {
  const auto add = [&app](const CommonFlag& flag, std::optional<std::string>& into) {
    app.add_option_function<std::string>(
           text_of(flag.name), [&into](const std::string& value) { into = value; }, text_of(flag.help))
        ->type_name(text_of(flag.value_name))
        ->group("Common options");
  };
  add(kDbFlag, flags.db);
  add(kOwnerFlag, flags.owner);
  app.add_flag_callback(
         text_of(kJsonFlag.name), [&flags] { flags.json = true; }, text_of(kJsonFlag.help))
      ->group("Common options");
}

// Marks a word that begins with - and follows --. CLI11 does not add words after -- to a list that already has an
// element.
constexpr char kLiteralMark = '\x1F';

Words with_marks(const Words& words) {
  const auto end = std::ranges::find(words, "--");
  Words marked(words.begin(), end);
  if (end == words.end()) return marked;
  for (auto word = end + 1; word != words.end(); ++word) {
    marked.push_back(word->starts_with("-") ? kLiteralMark + *word : *word);
  }
  return marked;
}

std::string without_mark(std::string word) {
  if (word.starts_with(kLiteralMark)) word.erase(0, 1);
  return word;
}

// Presents a CLI::App to the command as its Arguments.
class AppArguments final : public Arguments {
 public:
  AppArguments(CLI::App& app, Status& first_error) : app_(app), first_error_(first_error) {}

  void word(std::string_view name, std::string& into, std::string_view help) override {
    app_.add_option(text_of(name), into, text_of(help))->transform(without_mark)->type_name("")->required();
  }
  void optional_word(std::string_view name, std::optional<std::string>& into, std::string_view help) override {
    app_.add_option_function<std::string>(
            text_of(name), [&into](const std::string& value) { into = value; }, text_of(help))
        ->transform(without_mark)
        ->type_name("");
  }
  void words(std::string_view name, std::vector<std::string>& into, std::string_view help) override {
    app_.add_option(text_of(name), into, text_of(help))->transform(without_mark)->type_name("")->required();
  }
  void any_words(std::string_view name, std::vector<std::string>& into, std::string_view help) override {
    app_.add_option(text_of(name), into, text_of(help))->transform(without_mark)->type_name("");
  }
  void value(std::string_view flag, std::string_view value_name, std::optional<std::string>& into,
             std::string_view help) override {
    app_.add_option_function<std::string>(
            text_of(flag), [&into](const std::string& value) { into = value; }, text_of(help))
        ->type_name(text_of(value_name));
  }
  void required_value(std::string_view flag, std::string_view value_name, std::string& into, std::string_view help) override {
    app_.add_option(text_of(flag), into, text_of(help))->type_name(text_of(value_name))->required();
  }
  void each_value(std::string_view flag, std::string_view value_name, Take take, std::string_view help) override {
    const auto keep_error = [this, take = std::move(take)](const std::string& value) {
      if (Status status = take(value); !status && first_error_) first_error_ = std::move(status);
    };
    // Runs at each occurrence, so that a flag can refer to the one before it.
    app_.add_option_function<std::string>(text_of(flag), keep_error, text_of(help))
        ->type_name(text_of(value_name))
        ->trigger_on_parse();
  }
  void flag(std::string_view flag, bool& into, std::string_view help) override {
    app_.add_flag(text_of(flag), into, text_of(help));
  }
  void example(std::string_view line) override {
    examples_ += (examples_.empty() ? "Examples:\n  " : "\n  ") + text_of(line);
    app_.footer(facts_ + examples_);
  }
  void facts(std::string_view title, std::span<const Fact> list) override {
    facts_ += text_of(title) + ":\n";
    std::size_t width = 0;
    for (const Fact& fact : list) width = std::max(width, fact.name.size());
    for (const Fact& fact : list) facts_ += format("  {:<{}} {}\n", fact.name, width + 2, fact.text);
    facts_ += "\n";
    app_.footer(facts_ + examples_);
  }

 private:
  CLI::App& app_;
  Status& first_error_;
  std::string facts_, examples_;
};

bool wants_help(const Words& words) {
  return std::ranges::any_of(words, [](std::string_view word) { return word == "--help" || word == "-h"; });
}

bool is_command(std::string_view name) {
  const auto names = [&](const CommandEntry& entry) {
    return entry.group == name || (entry.group.empty() && entry.name == name);
  };
  return std::ranges::any_of(all_commands(), names);
}

// Rewrites `ladder help` and `ladder help grant create` to `ladder grant create --help`. A topic, and a word that is neither a
// topic nor a command, are left to the command `help`.
Words without_help(Words words) {
  if (words.empty() || words.front() != "help" || wants_help(words)) return words;
  if (words.size() > 1 && !words[1].starts_with("-")) {
    const bool is_one_word = words.size() == 2 || words[2].starts_with("-");
    if (is_one_word && words[1] != "help" && find_topic(words[1]) != nullptr) return words;
    if (is_one_word && words[1] == "topics") return {"help", "--help"};
    if (!is_command(words[1])) return words;
  }
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// Represents the whole command line as CLI11 objects.
class Parser {
 public:
  Parser(CommonFlags& flags, std::string_view version)
      : root_("Your mail, chats, notes and files in one place, for you and for the AI agents that you allow to read them.",
              "ladder") {
    root_.get_formatter()->column_width(kHelpColumn);
    root_.get_formatter()->label("REQUIRED", "(required)");
    root_.set_help_flag("-h,--help", "show this help");
    version_ = "ladder " + text_of(version);
    root_.set_version_flag("--version", version_, "show the version");
    root_.require_subcommand(0, 1);
    root_.footer(
        "First steps: ladder import PATH brings in your data, ladder search WORDS finds it, ladder open shows it and connects "
        "apps.\n"
        "ladder COMMAND --help shows a command's options and examples.\n"
        "ladder help TOPIC explains a topic, for example import or backup; ladder help topics lists them.\n"
        "Exit codes: 0 done, 1 failed, 64 usage, 77 refused, 78 not set up.");
    add_common(root_, flags);
    for (const GroupEntry& group : all_groups()) {
      CLI::App* app = root_.add_subcommand(text_of(group.name), text_of(group.summary));
      app->require_subcommand(0, 1)->footer("");
      groups_[group.name] = app;
    }
    for (const CommandEntry& entry : all_commands()) add(entry, flags);
  }

  Result<Invocation> read(const Words& words) {
    LADDER_CHECK(check_command_words(words));
    const Words marked = with_marks(words);
    std::vector<std::string> reversed(marked.rbegin(), marked.rend());
    try {
      root_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
      return Invocation{nullptr, root_.help(), {}};
    } catch (const CLI::CallForVersion& version) {
      return Invocation{nullptr, text_of(version.what()) + "\n", {}};
    } catch (const CLI::ExtrasError&) {
      return usage(unexpected_word());
    } catch (const CLI::ParseError& error) {
      return usage(error.what());
    }
    LADDER_CHECK(std::move(first_error_));
    for (Entry& entry : entries_) {
      if (entry.app->parsed()) return Invocation{std::move(entry.command), {}, {}};
    }
    if (wants_json(words)) return usage("a command is missing");  // a program expects JSON, not a help page
    return Invocation{nullptr, root_.help(), {}};                 // no command, or only a group: show the list
  }

 private:
  struct Entry {
    CLI::App* app;
    std::unique_ptr<Command> command;
    std::unique_ptr<AppArguments> arguments;
  };

  void add(const CommandEntry& entry, CommonFlags& flags) {
    CLI::App& parent = entry.group.empty() ? root_ : *groups_.at(entry.group);
    CLI::App* app = parent.add_subcommand(text_of(entry.name), text_of(entry.summary));
    if (entry.hidden) app->group("");
    app->footer("");
    app->set_version_flag("--version", version_)->group("");  // --version is also accepted after the command
    Entry& made = entries_.emplace_back(Entry{app, entry.make(), std::make_unique<AppArguments>(*app, first_error_)});
    made.command->declare(*made.arguments);
    add_common(*app, flags);
  }

  // Returns the command that the words selected so far, for messages.
  const CLI::App& reached() const {
    const CLI::App* app = &root_;
    for (auto below = app->get_subcommands(); !below.empty(); below = app->get_subcommands()) app = below.front();
    return *app;
  }

  std::string path_of(const CLI::App& app) const {
    return app.get_parent() == nullptr ? "ladder" : path_of(*app.get_parent()) + " " + app.get_name();
  }

  Result<Invocation> usage(std::string_view what) const {
    return fail(Code::kInvalidRequest,
                format("{}{} {} --help lists the options", what, what.ends_with('?') ? "" : ";", path_of(reached())));
  }

  std::string unexpected_word() const {
    const CLI::App& app = reached();
    const std::vector<std::string> extra = root_.remaining(true);
    const std::string word = extra.empty() ? "" : without_mark(extra.front());
    if (!word.starts_with("-")) return format("unexpected argument '{}'", visible_label(word));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = nearest(word.substr(0, word.find('=')), views);
    const bool takes_words = std::ranges::any_of(app.get_options(), &CLI::Option::get_positional);
    const std::string_view advice = takes_words ? "; put -- before arguments that begin with -" : "";
    return format("unknown option '{}'{}", visible_label(word),
                  near.empty() ? std::string(advice) : format("; did you mean '{}'?", near));
  }

  // Checks the command words before CLI11 does, so that the message names the mistyped one.
  Status check_command_words(const Words& words) const {
    const CLI::App* app = &root_;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (std::find(kFlagsWithValue.begin(), kFlagsWithValue.end(), word) != kFlagsWithValue.end()) ++i;
      if (word.starts_with("-")) continue;
      std::vector<std::string> names;
      const CLI::App* next = nullptr;
      for (const CLI::App* below : app->get_subcommands({})) {
        if (below->get_name() == word) next = below;
        if (!below->get_group().empty()) names.push_back(below->get_name());
      }
      if (names.empty()) return {};  // the command's own arguments begin here
      if (next == nullptr) return unknown_command(*app, word, {names.begin(), names.end()});
      app = next;
    }
    return {};
  }

  Status unknown_command(const CLI::App& app, std::string_view word, const std::vector<std::string_view>& names) const {
    const std::string path = path_of(app);
    const std::string_view near = nearest(word, names);
    return fail(Code::kInvalidRequest,
                format("unknown command '{} {}'; {}", path, visible_label(word),
                       near.empty() ? path + " --help lists the commands" : format("did you mean '{} {}'?", path, near)));
  }

  CLI::App root_;
  std::string version_;
  std::map<std::string_view, CLI::App*> groups_;
  std::vector<Entry> entries_;
  Status first_error_;
};

}  // namespace

Result<Invocation> read_command_line(const Words& words, std::string_view version) {
  CommonFlags flags;
  Parser parser(flags, version);
  LADDER_TRY(Invocation invocation, parser.read(without_help(words)));
  invocation.flags = std::move(flags);
  return invocation;
}

bool reserves_standard_output(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) return words[i] == "mcp";
    if (std::find(kFlagsWithValue.begin(), kFlagsWithValue.end(), words[i]) != kFlagsWithValue.end()) ++i;
  }
  return false;
}

bool wants_json(const Words& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--json") != end;
}

}  // namespace ladder::cli
