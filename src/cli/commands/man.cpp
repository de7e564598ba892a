// ladder man: prints the manual page in troff man macros, generated from the command table.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "cli/invocation/command.h"
#include "cli/invocation/command_table.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/setting_table.h"

#include <array>

namespace ladder::cli {
namespace {

// The date of the last change to the text of this page, not counting the table.
constexpr std::string_view kDate = "2026-11-19";

struct Entry {
  std::string_view name, text;
};

constexpr std::array kVariables = {
    Entry{"LADDER_DB", "the store: a path, or postgres://…"},
    Entry{"LADDER_DB_CONNECTIONS", "the most connections of this program to PostgreSQL (16; at least 2)"},
    Entry{"LADDER_OWNER", "whose data"},
    Entry{"LADDER_CONFIG", "the path of ladder.toml"},
    Entry{"LADDER_TOKEN", "a client's token: for ladder mcp, and for --token env"},
    Entry{"LADDER_EXTRACT", "the path of ladder-extract, if it is not next to ladder"},
    Entry{"LADDER_RESULT_BYTES", "the maximum size of an MCP tool result in bytes (40000; at least 4096)"},
    Entry{"LADDER_PUBLIC_URL", "the address where people open this store's records; used for links in results"},
    Entry{"LADDER_PROVIDER_URL, LADDER_PROVIDER_CA, LADDER_CACHE_ROOT", "as the options of ladder mcp"},
    Entry{"PDPP_TOKEN, PDPP_PROVIDER_URL, PDPP_PROVIDER_CA, PDPP_CACHE_ROOT", "aliases of these"},
    Entry{"PDPP_MCP_SERVER_NAME", "as --server-name"},
    Entry{"NO_COLOR", "when set, no colours"},
    Entry{"XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME", "the folders of the user's data, configuration and journals"},
};

constexpr std::array kFiles = {
    Entry{"~/.local/share/ladder/ladder.db", "the default store"},
    Entry{"~/.config/ladder/ladder.toml", "settings: lines of key = \"value\"; ladder config show lists the keys"},
};

constexpr std::array kExitCodes = {
    Entry{"0", "done"},
    Entry{"1", "failed, or only partly done"},
    Entry{"64", "usage: invalid command line"},
    Entry{"77", "refused: no valid token, or outside the grant"},
    Entry{"78", "not set up: no store, or one that ladder init must upgrade"},
};

// Escapes text so that troff interprets none of it.
std::string plain(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = utf8::next(text, at);
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '`') out += "\\(ga";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else if (c < 0x80) out += static_cast<char>(c);
    else out += format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string shown(const ArgumentPage& argument) {
  if (!argument.is_flag()) return italic(argument.name) + (argument.repeated ? plain("…") : "");
  return bold(argument.name) + (argument.value_name.empty() ? "" : " " + italic(argument.value_name));
}

std::string synopsis(const CommandPage& command) {
  std::string line = bold("ladder " + command.path());
  const auto add = [&](const ArgumentPage& argument) {
    const std::string more = argument.is_flag() && argument.repeated ? plain("…") : "";
    line += argument.required ? " " + shown(argument) : " [" + shown(argument) + "]" + more;
  };
  for (const ArgumentPage& word : command.words) add(word);
  for (const ArgumentPage& flag : command.flags) add(flag);
  return line + "\n";
}

std::string arguments(const std::vector<ArgumentPage>& list) {
  std::string out;
  for (const ArgumentPage& argument : list) out += ".TP\n" + shown(argument) + "\n" + plain(argument.help) + "\n";
  return out;
}

template <class List>
std::string entries(std::string_view title, const List& list) {
  std::string out = format(".SH {}\n", title);
  for (const Entry& entry : list) out += ".TP\n" + bold(entry.name) + "\n" + plain(entry.text) + "\n";
  return out;
}

std::string example_lines(const std::vector<std::string>& lines) {
  std::string out = ".PP\n.nf\n";
  for (const std::string& line : lines) out += plain(line) + "\n";
  return out + ".fi\n";
}

std::string page(std::string_view version) {
  std::string out =
      format(".\\\" Made by `ladder man`; do not edit.\n.TH LADDER 1 {} \"ladder {}\" \"User Commands\"\n", kDate, version);
  out += ".SH NAME\nladder \\- your own data, for you and for the agents that you allow to read it\n";
  out += ".SH SYNOPSIS\n" + bold("ladder") + " " + italic("COMMAND") + " [" + italic("OPTION") + plain("…") + "]\n";
  out += ".SH DESCRIPTION\n" +
         plain(
             "Ladder stores your mail, chats, notes and any other stream that a declaration describes in your own database, and "
             "lets AI agents read it: only what you granted, a bounded window at a time, over MCP or REST. On the command line "
             "you can read everything.") +
         "\n.PP\n" +
         plain(
             "Results go to standard output, messages and progress to standard error. Tables, colors and progress bars "
             "appear on a terminal only.") +
         "\n";
  out += ".SH OPTIONS\nEvery command takes these.\n" + arguments(common_flags());
  out += ".SH COMMANDS\n";
  for (const CommandPage& command : command_table()) {
    if (command.hidden) continue;
    out += ".SS " + plain("ladder " + command.path()) + "\n" + synopsis(command) + ".PP\n" + plain(command.summary) + ".\n";
    out += arguments(command.words) + arguments(command.flags);
    if (!command.facts.empty()) out += ".PP\n" + plain(command.facts_title) + ":\n";
    for (const auto& [name, text] : command.facts) out += ".TP\n" + bold(name) + "\n" + plain(text) + "\n";
    if (!command.examples.empty()) out += example_lines(command.examples);
  }
  out += ".SH SETTINGS\n" +
         plain("Flags override variables, and variables override ladder.toml. `ladder config show` shows the effective values.") +
         "\n";
  for (const SettingRow& row : setting_table())
    out += ".TP\n" + bold(row.key) + ", " + bold(row.variable()) + "\n" + plain(row.help) + "\n";
  out += entries("ENVIRONMENT", kVariables) + entries("FILES", kFiles) + entries("EXIT STATUS", kExitCodes);
  out += ".SH EXAMPLES\nFrom a mailbox to a client that may read it:\n" +
         example_lines({"ladder init", "ladder import ~/Downloads/takeout-*.zip", "ladder search hotel reservation",
                        "token=$(ladder grant create --client claude --stream messages:subject,from,sent_at,text)",
                        "claude mcp add ladder --env LADDER_TOKEN=\"$token\" -- ladder mcp"});
  return out;
}

class Man final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.example("ladder man | man -l -");
    arguments.example("ladder man > ~/.local/share/man/man1/ladder.1");
  }
  Result<int> run(Context& context) override {
    context.console.out(page(context.version));
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_man() { return std::make_unique<Man>(); }

}  // namespace ladder::cli
