// ladder more: shows the next page of the last list on this terminal, or the other hits of a hit's conversation or thread.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/last_list.h"

namespace ladder::cli {
namespace {

class More final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("NUMBER", number_, "the other hits of this hit's conversation or thread");
    arguments.example("ladder more");
    arguments.example("ladder more 2");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const Words words, number_ ? of_group(context.settings.state_folder) : next_page(context.settings.state_folder));
    LADDER_TRY(Invocation invocation, read_command_line(words, context.version));
    LADDER_TRY(const Settings settings, resolve_settings(invocation.flags, context.environment));
    Context again(context.console, settings, context.version, context.environment);
    return invocation.command->run(again);
  }

 private:
  static Result<Words> next_page(const std::string& state_folder) {
    LADDER_TRY(const LastList list, last_list(state_folder));
    if (list.next.empty()) return fail(Code::kNotFound, "the last list has no further page");
    return list.next;
  }

  Result<Words> of_group(const std::string& state_folder) const {
    const auto number = list_number(*number_);
    if (!number) return fail(Code::kInvalidRequest, format("{} is not the number of a hit", shell_word(*number_)));
    LADDER_TRY(const LastList list, last_list(state_folder));
    LADDER_TRY(const LastList::Entry entry, numbered_entry(state_folder, list.store, *number));
    if (entry.group.empty())
      return fail(Code::kNotFound, format("number {} is not in a group; `ladder show {}` opens it", *number, *number));
    return entry.group;
  }

  std::optional<std::string> number_;
};

}  // namespace

std::unique_ptr<Command> make_more() { return std::make_unique<More>(); }

}  // namespace ladder::cli
