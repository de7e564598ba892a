// ladder ledger: shows which responses were sent to clients, and which ranges of which records they contained. --keep-days,
// --keep-seen and --queries configure what the ledger keeps.
#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/flags/time_words.h"
#include "cli/invocation/client_names.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "rest/render.h"
#include "server/ledger/entry_text.h"

namespace ladder::cli {
namespace {

constexpr std::int64_t kShown = 50, kAtOnce = 1'000;
constexpr std::size_t kShownRecords = 3;  // records of an entry shown in the table

Result<std::int64_t> number_of(const std::string& text, std::string_view flag, std::int64_t least) {
  if (const auto number = parse_number(text); number && *number >= least) return *number;
  return fail(Code::kInvalidRequest, format("--{} must be a number of at least {}", flag, least), std::string(flag));
}

std::string amount_of(const server::LedgerEntry& entry) {
  const std::int64_t bytes = entry.shown.total(server::Unit::kBytes);
  const std::string chars = format("{} chars", entry.chars());
  return bytes == 0 ? chars : format("{}, {} bytes", chars, bytes);
}

std::string field_text(const server::ShownField& field) {
  std::string text = field.path.empty() ? std::string("records") : visible_label(field.path);
  for (const server::ShownRange& range : field.ranges) text += format(" {}-{}", range.start, range.end);
  return text;
}

std::string record_text(const server::ShownRecord& record) {
  std::string text = visible_label(record.record.record_id.empty() ? record.record.connection_id + "/" + record.record.stream
                                                                   : model::format_record_id(record.record));
  text += " (";
  for (std::size_t i = 0; i < record.fields.size(); ++i) text += (i == 0 ? "" : "; ") + field_text(record.fields[i]);
  return text + ")";
}

std::string shown_text(const server::LedgerEntry& entry) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownRecords, entry.shown.records.size()); ++i) {
    text += (i == 0 ? "" : ", ") + record_text(entry.shown.records[i]);
  }
  if (entry.shown.records.size() > kShownRecords) text += format(" and {} more", entry.shown.records.size() - kShownRecords);
  if (entry.erased > 0) text += format("{}{} erased or merged since", text.empty() ? "" : ", ", entry.erased);
  return text;
}

class LedgerCommand final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.value("--client", "NAME", client_, "only this client");
    arguments.value("--since", "TIME", since_, "only responses since then: a time, or 30d for the last thirty days");
    arguments.value("--record", "ID", record_, "only this record");
    arguments.flag("--seen", seen_, "what each client has ever read of each record, as merged ranges");
    arguments.flag("--use", use_, "how much was read per day, client and grant (default: the last 30 days; see --since)");
    arguments.value("--format", "text|ndjson|csv", format_, "ndjson and csv write every entry, for other programs");
    arguments.value("--limit", "N", limit_, "the maximum number of entries, newest first (default: 50)");
    arguments.value("--cursor", "C", cursor_, "continue after an earlier page");
    arguments.value("--keep-days", "N", keep_days_, "keep single entries for this many days (initially 90)");
    arguments.value("--keep-seen", "N", keep_seen_,
                    "keep merged ranges for this many days after the last read; 0: as long as the record");
    arguments.value("--queries", "on|off", queries_, "keep the words that clients search for (initially off)");
    arguments.example("ladder ledger --client assistant --since 7d");
    arguments.example("ladder ledger --record notes-home/notes:n1 --seen");
    arguments.example("ladder ledger --format csv > disclosures.csv");
    arguments.example("ladder ledger --keep-days 365 --queries on");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(server::LedgerQuery query, parse());
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    server::ResourceServer& server = session->server();
    if (keep_days_ || keep_seen_ || queries_) return set(context, server, owner);
    ClientNames names(session->authorization().clients());
    if (seen_) return show_seen(context, server, owner, query, names);
    if (use_) return show_use(context, server, owner, query, names);
    const std::string form = format_.value_or("text");
    if (form == "ndjson" || form == "csv") return export_all(context, server, owner, std::move(query), form == "csv");
    if (form != "text") return fail(Code::kInvalidRequest, "--format must be text, ndjson or csv", "format");
    LADDER_TRY(const auto page, server.ledger().page(owner, query));
    if (context.console.json()) {
      context.console.out(rest::render_ledger(page) + "\n");
      return kDone;
    }
    LADDER_TRY(const std::string text, as_text(context, page, names));
    context.console.out(text);
    return kDone;
  }

 private:
  Result<server::LedgerQuery> parse() const {
    server::LedgerQuery query;
    query.client_id = client_.value_or("");
    if (since_) {
      LADDER_TRY(query.since, parse_time_word(*since_, "since", Direction::kAgo, Clock::system().now()));
    }
    if (record_) {
      LADDER_TRY(query.record, model::parse_record_id(*record_));
    }
    query.limit = kShown;
    if (limit_) {
      LADDER_TRY(query.limit, number_of(*limit_, "limit", 1));
    }
    query.cursor = cursor_.value_or("");
    return query;
  }

  Result<int> set(Context& context, server::ResourceServer& server, const server::Access& owner) const {
    LADDER_TRY(auto state, server.ledger().state(owner));
    server::LedgerSettings& settings = state.settings;
    if (keep_days_) {
      LADDER_TRY(settings.detail_days, number_of(*keep_days_, "keep-days", 1));
    }
    if (keep_seen_) {
      LADDER_TRY(settings.seen_days, number_of(*keep_seen_, "keep-seen", 0));
    }
    if (queries_ && *queries_ != "on" && *queries_ != "off") {
      return fail(Code::kInvalidRequest, "--queries must be on or off", "queries");
    }
    if (queries_) settings.keeps_queries = *queries_ == "on";
    LADDER_CHECK(server.ledger().set_settings(owner, settings));
    LADDER_CHECK(server.ledger().expire());
    if (context.console.json()) {
      LADDER_TRY(const auto now, server.ledger().state(owner));
      context.console.out(rest::render_ledger_state(now) + "\n");
      return kDone;
    }
    context.console.out(format("The ledger keeps entries for {} days, merged ranges {}, and search words {}.\n",
                               settings.detail_days,
                               settings.seen_days == 0 ? std::string("as long as the record")
                                                       : format("for {} days after the last read", settings.seen_days),
                               settings.keeps_queries ? "too" : "never"));
    return kDone;
  }

  static Result<int> show_seen(Context& context, server::ResourceServer& server, const server::Access& owner,
                               const server::LedgerQuery& query, ClientNames& names) {
    LADDER_TRY(const auto seen, server.ledger().seen(owner, query));
    if (context.console.json()) {
      context.console.out(rest::render_seen(seen) + "\n");
      return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"CLIENT", "LAST", "ANSWERS", "CHARS", "SEEN"}};
    for (const server::SeenRecord& one : seen) {
      LADDER_TRY(const std::string client, names.text(one.client_id));
      rows.push_back({client, short_time(one.last_at), std::to_string(one.answers),
                      std::to_string(one.shown.total(server::Unit::kChars)), record_text(one.shown)});
    }
    context.console.out(seen.empty() ? "No client has read any of it.\n" : table(rows));
    return kDone;
  }

  static Result<int> show_use(Context& context, server::ResourceServer& server, const server::Access& owner,
                              const server::LedgerQuery& query, ClientNames& names) {
    constexpr std::int64_t kUsualDays = 30;
    const std::int64_t today = floor_div(Clock::system().now(), kDay);
    const std::int64_t first = query.since ? floor_div(*query.since, kDay) : today - kUsualDays + 1;
    LADDER_TRY(auto uses, server.ledger().uses(owner, first, today));
    if (!query.client_id.empty()) {
      std::erase_if(uses, [&](const server::LedgerUse& use) { return use.client_id != query.client_id; });
    }
    if (context.console.json()) {
      context.console.out(rest::render_uses(uses) + "\n");
      return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"DAY", "CLIENT", "GRANT", "ANSWERS", "CHARS", "BYTES"}};
    for (const server::LedgerUse& use : uses) {
      LADDER_TRY(const std::string client, names.text(use.client_id));
      rows.push_back({server::date_of_day(use.day), client, use.grant_id, std::to_string(use.answers), std::to_string(use.chars),
                      std::to_string(use.bytes)});
    }
    context.console.out(uses.empty() ? "No client has read anything in that period.\n" : table(rows));
    return kDone;
  }

  static Result<int> export_all(Context& context, server::ResourceServer& server, const server::Access& owner,
                                server::LedgerQuery query, bool csv) {
    query.limit = kAtOnce;
    if (csv) context.console.out(server::ledger_csv_head());
    do {
      LADDER_TRY(const auto page, server.ledger().page(owner, query));
      for (const server::LedgerEntry& entry : page.entries) {
        context.console.out(csv ? server::ledger_csv_rows(entry) : server::ledger_line(entry));
      }
      query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    return kDone;
  }

  Result<std::string> as_text(const Context& context, const server::LedgerPage& page, ClientNames& names) const {
    if (page.entries.empty()) return "No matching entries.\n";
    std::vector<std::vector<std::string>> rows = {{"AT", "CLIENT", "TRANSPORT", "CALL", "KIND", "SHOWN", "OF"}};
    for (const server::LedgerEntry& entry : page.entries) {
      LADDER_TRY(const std::string client, names.text(entry.client_id));
      rows.push_back({format_time(entry.at), client, entry.transport, visible_label(entry.name), entry.shown.kind,
                      amount_of(entry), shown_text(entry)});
    }
    std::string text = table(rows);
    if (page.next_cursor.empty()) return text;
    text += "next   ladder ledger";
    const auto repeat = [&](std::string_view flag, const std::optional<std::string>& value) {
      if (value) text += format(" {} {}", flag, shell_word(*value));
    };
    repeat("--client", client_);
    repeat("--since", since_);
    repeat("--record", record_);
    repeat("--limit", limit_);
    return text + format(" --cursor {}{}\n", page.next_cursor, context.store_flags());
  }

  std::optional<std::string> client_, since_, record_, format_, limit_, cursor_, keep_days_, keep_seen_, queries_;
  bool seen_ = false, use_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ledger() { return std::make_unique<LedgerCommand>(); }

}  // namespace ladder::cli
