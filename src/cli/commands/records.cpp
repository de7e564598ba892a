// ladder records: a page of a stream, or of what changed in it; the same read as GET /v1/streams/{stream}/records.
#include "base/text/format.h"
#include "cli/app/command.h"
#include "cli/app/failure.h"
#include "cli/flags/caller.h"
#include "cli/flags/filter_words.h"
#include "cli/terminal/record_table.h"
#include "cli/terminal/visible_text.h"
#include "rest/arguments.h"
#include "rest/render.h"

namespace ladder::cli {
namespace {

class Records final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("STREAM", stream_, "the stream's name; ladder schema lists them");
    arguments.value("--connection", "ID", connection_, "only this connection");
    arguments.value("--fields", "NAME,…", fields_, "only these fields");
    filters_.declare(arguments, "only records with that value; FIELD.gte=, .gt=, .lte= and .lt= compare");
    arguments.value("--limit", "N", limit_, "records a page, 1 to 100 (default 25)");
    arguments.value("--cursor", "C", cursor_, "go on where an earlier page ended");
    arguments.value("--order", "asc|desc", order_, "oldest or newest first (default desc)");
    arguments.flag("--count", count_, "also say how many match");
    arguments.value("--changes-since", "T", since_, "what changed since then: beginning, or what an earlier call printed");
    arguments.each_value(
        "--expand", "RELATION",
        [this](const std::string& name) -> Status {
          expand_.push_back(name);
          return {};
        },
        "show related records, too; may be repeated");
    caller_.declare(arguments);
    arguments.example("ladder records notes");
    arguments.example("ladder records notes --fields id,title --filter updated_at.gte=2026-01-01 --order asc --count");
    arguments.example("ladder records notes --connection notes-home --expand attachments --limit 5");
    arguments.example("ladder records notes --changes-since beginning --json");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(check_page_limit(limit_));
    const RestTarget target = make_target();
    std::vector<api::Warning> warnings;
    LADDER_TRY(const auto query, http::Query::parse(target.query()));
    LADDER_TRY(auto request, rest::records_request(query, stream_, warnings));
    const bool json = context.console.json();
    if (!json && context.console.out_is_terminal()) request.max_field_chars = kShownChars;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    LADDER_TRY(const api::RecordsPage page, session->server().records(access, request));
    if (json) {
      context.console.out(rest::render(page, target.path(), {.self = target.text(), .warnings = std::move(warnings)}) + "\n");
    } else {
      const bool table = context.console.out_is_terminal();
      show(context, page, request.fields, table ? roles_by_stream(session->server(), access, stream_) : RolesByStream());
    }
    return kDone;
  }

 private:
  RestTarget make_target() const {
    RestTarget target("/v1/streams/" + RestTarget::segment(stream_) + "/records");
    const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
      if (value) target.add(name, *value);
    };
    add("limit", limit_);
    add("cursor", cursor_);
    add("order", order_);
    add("fields", fields_);
    filters_.add_to(target);
    for (const std::string& name : expand_) target.add("expand", name);
    if (count_) target.add("count", "exact");
    add("changes_since", since_);
    add("connection_id", connection_);
    return target;
  }

  void show(const Context& context, const api::RecordsPage& page, const std::vector<std::string>& fields,
            const RolesByStream& roles) const {
    Console& console = context.console;
    console.out(records_text(console, page.records, fields, roles));
    std::string said;
    for (const api::Warning& warning : page.warnings) said += format("note: {}\n", warning.message);
    if (page.records.empty()) said += since_ ? "Nothing changed.\n" : "No records.\n";
    if (page.count.kind != api::CountKind::kNone) said += format("{} records match.\n", grouped(page.count.value));
    if (!page.next_cursor.empty()) said += format("{:<6} {}\n", "next", command(context, "--cursor", page.next_cursor));
    if (!page.next_changes_since.empty() && page.next_cursor.empty()) {
      said += format("{:<6} {}\n", "later", command(context, "--changes-since", page.next_changes_since));
    }
    if (!page.next_cursor.empty() || !page.next_changes_since.empty()) said += caller_.hint();
    console.out_is_terminal() ? console.out(said) : console.err(said);  // lines for another program stay as they are
  }

  std::string command(const Context& context, std::string_view flag, const std::string& value) const {
    std::string line = "ladder records " + shell_word(stream_);
    const auto repeat = [&](std::string_view name, const std::optional<std::string>& given) {
      if (given) line += format(" {} {}", name, shell_word(*given));
    };
    repeat("--connection", connection_);
    repeat("--fields", fields_);
    line += filters_.flags();
    for (const std::string& name : expand_) line += " --expand " + shell_word(name);
    repeat("--limit", limit_);
    repeat("--order", order_);
    return line + format(" {} {}", flag, shell_word(value)) + caller_.flags() + context.place_flags();
  }

  std::string stream_;
  std::optional<std::string> connection_, fields_, limit_, cursor_, order_, since_;
  FilterWords filters_;
  std::vector<std::string> expand_;
  bool count_ = false;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_records() { return std::make_unique<Records>(); }

}  // namespace ladder::cli
