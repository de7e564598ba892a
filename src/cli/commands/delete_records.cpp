// ladder delete: deletes single records for good. Imports and syncs do not bring them back.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/flags/read_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/last_list.h"
#include "cli/terminal/short_ids.h"
#include "json/writer.h"
#include "model/record_id.h"

#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

namespace ladder::cli {
namespace {

class Delete final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("ID", ids_,
                    "the records: their numbers in the last list on this terminal, or CONNECTION/STREAM:KEY; the beginning of a "
                    "key is enough");
    arguments.flag("--yes", yes_, "do not ask for confirmation; required without a terminal");
    arguments.example("ladder delete 2");
    arguments.example("ladder delete mail/messages:4be0a1f2 --yes");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    std::vector<model::RecordRef> records;
    for (const std::string& id : ids_) {
      LADDER_TRY(records.emplace_back(), resolve(context, *session, owner, id));
    }
    if (!yes_) {
      LADDER_TRY(const bool agreed, ask(context, records));
      if (!agreed) {
        context.console.err("ladder: nothing was deleted\n");
        return kFailed;
      }
    }
    for (const model::RecordRef& record : records) LADDER_CHECK(session->server().erasures().erase_record(owner, record));
    context.console.out(context.console.json() ? as_json(records) : as_text(records));
    return kDone;
  }

 private:
  static Result<model::RecordRef> resolve(const Context& context, Session& session, const server::Access& owner,
                                          const std::string& id) {
    std::string name = id;
    if (const auto number = list_number(id)) {
      LADDER_TRY(const LastList::Entry entry,
                 numbered_entry(context.settings.state_folder, location_digest(context.settings.location), *number));
      name = entry.record;
    }
    LADDER_TRY(const model::RecordRef named, parse_shown_id(name));
    LADDER_TRY(const model::RecordRef ref, resolve_short_id(session.server().reads(), owner, named));
    api::RecordRequest request;
    request.record = ref;
    LADDER_CHECK(session.server().reads().record(owner, request));  // kNotFound instead of silence for a wrong id
    return ref;
  }

  static Result<bool> ask(const Context& context, const std::vector<model::RecordRef>& records) {
    if (::isatty(STDIN_FILENO) != 1 || !context.console.err_is_terminal() || context.console.json()) {
      return fail(Code::kInvalidRequest, "deleting a record cannot be undone; without a terminal, add --yes to confirm", "yes");
    }
    for (const model::RecordRef& record : records) context.console.err(format("  {}\n", visible_label(shown_id(record))));
    context.console.err(format("Delete {} for good? Imports do not bring {} back. [y/N] ",
                               records.size() == 1 ? "this record" : format("these {} records", records.size()),
                               records.size() == 1 ? "it" : "them"));
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
  }

  static std::string as_json(const std::vector<model::RecordRef>& records) {
    json::Writer out;
    out.begin_object().key("deleted").begin_array();
    for (const model::RecordRef& record : records) out.string(model::format_record_id(record));
    return out.end_array().end_object().take() + "\n";
  }

  static std::string as_text(const std::vector<model::RecordRef>& records) {
    std::string text;
    for (const model::RecordRef& record : records) text += format("Deleted {}.\n", visible_label(shown_id(record)));
    return text;
  }

  std::vector<std::string> ids_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> make_delete() { return std::make_unique<Delete>(); }

}  // namespace ladder::cli
