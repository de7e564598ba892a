// ladder erase: permanently deletes a connection and everything imported through it, and frees the file space.
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/erasure_progress.h"
#include "json/writer.h"

#include <unistd.h>

#include <iostream>
#include <string>

namespace ladder::cli {
namespace {

std::int64_t records_of(const server::ConnectionSummary& connection) {
  std::int64_t records = 0;
  for (const auto& stream : connection.streams) records += stream.records;
  return records;
}

class Erase final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("CONNECTION_ID", id_, "the connection; `ladder connection list` shows them");
    arguments.flag("--yes", yes_, "do not ask for confirmation; required without a terminal");
    arguments.example("ladder export ~/before && ladder erase mail");
    arguments.example("ladder erase notes-home --yes");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const server::ConnectionSummary connection, session->server().sources().connection(owner, id_));
    if (!yes_) {
      LADDER_TRY(const bool agreed, ask(context, connection));
      if (!agreed) {
        context.console.err("ladder: nothing was erased\n");
        return kFailed;
      }
    }
    const app::StopSignal stop;
    ErasureProgress progress(context.console, stop);
    auto erased = session->server().erasures().erase_connection(owner, id_, progress);
    progress.finish();
    if (!erased && erased.error().code == Code::kCancelled) {
      context.console.err(format("ladder: {}: {}\n", visible_label(id_), erased.error().message));
      return kFailed;
    }
    if (!erased) return std::unexpected(erased.error());
    context.console.out(context.console.json() ? as_json(*erased) : as_text(*erased));
    return kDone;
  }

 private:
  Result<bool> ask(const Context& context, const server::ConnectionSummary& connection) const {
    if (::isatty(STDIN_FILENO) != 1 || !context.console.err_is_terminal() || context.console.json()) {
      return fail(Code::kInvalidRequest,
                  format("erasing {} cannot be undone; without a terminal, add --yes to confirm", shell_word(id_)), "yes");
    }
    context.console.err(
        format("{} contains {} records in {} streams. Erasing it cannot be undone; `ladder export` makes a copy.\n"
               "Type its id to erase it permanently: ",
               visible_label(id_), grouped(records_of(connection)), grouped(std::ssize(connection.streams))));
    std::string answer;
    if (std::getline(std::cin, answer)) return answer == id_;
    context.console.err("\n");  // the input ended without a newline after the prompt
    return false;
  }

  std::string as_json(const server::Erasure& erasure) const {
    json::Writer out;
    out.begin_object().member("connection_id", id_).member("records_erased", erasure.records);
    out.member("bytes_freed", erasure.bytes_freed).optional_member("space_kept", erasure.space_kept);
    out.member("complete", erasure.swept).member("grants_revoked", erasure.revoked_grants).key("grants_narrowed").begin_array();
    for (const std::string& id : erasure.narrowed_grants) out.string(id);
    return out.end_array().end_object().take() + "\n";
  }

  std::string as_text(const server::Erasure& erasure) const {
    std::string text = format("Erased {}: {} records; {} MB of disk space were freed.\n", visible_label(id_),
                              grouped(erasure.records), grouped(erasure.bytes_freed / 1'000'000));
    if (!erasure.space_kept.empty())
      text += format("The space stays reserved in the store for new data: {}\n", erasure.space_kept);
    if (!erasure.swept) {
      text +=
          "Another program was reading the whole time, so the store's log may still contain some erased bytes; the "
          "next ingest or import removes them.\n";
    }
    for (const std::string& id : erasure.revoked_grants)
      text += format("Revoked {}, which named no other connection.\n", visible_label(id));
    for (const std::string& id : erasure.narrowed_grants) text += format("{} keeps its other connections.\n", visible_label(id));
    return text;
  }

  std::string id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> make_erase() { return std::make_unique<Erase>(); }

}  // namespace ladder::cli
