// The Home page: data, recent reads, tasks for the owner, and how to connect an app.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/asking/ask_box.h"
#include "console/console.h"
#include "console/home/hosts.h"
#include "console/home/tasks.h"
#include "console/parts.h"
#include "console/sources/drop.h"
#include "console/sources/holdings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace ladder::console {
namespace {

constexpr std::size_t kShownImports = 6;
constexpr Instant kEndsSoon = 7 * kDay;
constexpr Instant kOldBackup = 30 * kDay;  // only if there is a backup; Home does not remind owners who never made one

// "three"; digits from 13 on.
std::string in_words(std::int64_t count) {
  static constexpr std::array<std::string_view, 13> kWords = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                              "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  return count >= 0 && count < std::ssize(kWords) ? std::string(kWords[static_cast<std::size_t>(count)]) : grouped(count);
}

int year_of(Instant at) {
  const std::string text = format_time(at);
  int year = 0;
  std::from_chars(text.data(), text.data() + 4, year);
  return year;
}

std::string whole_days(Instant left) {
  const std::int64_t days = (left + kDay - 1) / kDay;
  return days == 1 ? "1 day" : format("{} days", days);
}

void add_requests(std::vector<Task>& needs, const std::vector<auth::AuthorizationRequest>& requests, Instant now) {
  for (const auth::AuthorizationRequest& request : requests) {
    if (request.status != "waiting") continue;
    const std::int64_t minutes = std::max<std::int64_t>(1, (request.expires_at - now) / (60 * kSecond));
    Task need;
    need.icon = Icon::kInbox;
    need.look = "glyph glyph-info";
    need.title = auth::at_start(auth::requester_name(request)) + " wants to connect";
    need.text = format("{}. The request expires in {} {}.", moment_text(request.created_at, now), minutes,
                       minutes == 1 ? "minute" : "minutes");
    need.to = Url::path("/consent?request=", request.id);
    need.action = "Review";
    need.first = std::ranges::none_of(needs, &Task::first);
    need.button = TaskButton{Url::path("/requests"), {{"do", "deny"}, {"request", request.id}}, "Deny"};
    needs.push_back(std::move(need));
  }
}

void add_uploads(std::vector<Task>& needs, const std::vector<Upload>& uploads) {
  for (const Upload& upload : uploads) {
    Task need;
    need.key = format("upload:{}:{}", upload.id, static_cast<int>(upload.state));
    need.icon = Icon::kUpload;
    need.to = Url::path("/import?upload=", upload.id);
    need.action = "Review";
    const std::string named = upload.files.empty() ? "an import" : format("“{}”", upload.files.front().name);
    switch (upload.state) {
      case UploadState::kArriving:
        need.title = "Upload incomplete";
        need.text = format("Part of {} was uploaded. Choose the same files to continue.", named);
        break;
      case UploadState::kPlanned:
        need.title = "Review your import";
        need.text = format("{} is ready to import.", named);
        break;
      case UploadState::kPaused:
        need.title = "Import paused";
        need.text = format("The import of {} will continue where it stopped.", named);
        break;
      case UploadState::kFailed:
        need.icon = Icon::kWarn;
        need.title = "Import failed";
        need.text = upload.problem;
        break;
      default:
        continue;
    }
    needs.push_back(std::move(need));
  }
}

void add_import_problems(std::vector<Task>& needs, const std::vector<Holding>& all, Instant now) {
  for (const Holding& holding : all) {
    if (holding.connection.status == server::kErasing) {
      Task need;
      need.key = "erasing:" + holding.connection.connection_id;
      need.icon = Icon::kWarn;
      need.title = format("Erasing {} isn't finished", holding.name);
      need.text = "No app can read it anymore. Continue to delete the rest.";
      need.to = Url::path("/sources/erase?connection=", holding.connection.connection_id);
      need.action = "Continue";
      needs.push_back(std::move(need));
      continue;
    }
    const auto broken = std::ranges::find_if(holding.imports, [](const server::ImportAccount& one) { return !one.complete; });
    if (broken != holding.imports.end()) {
      Task need;
      need.key = format("interrupted:{}:{}", holding.connection.connection_id, broken->kept_at);
      need.icon = Icon::kWarn;
      need.title = format("An import of {} was interrupted", holding.name);
      need.text = format("“{}”, {}. Import the same files again to continue where it stopped.", broken->file,
                         auth::inside(moment_text(broken->kept_at, now)));
      need.to = Url::path("/sources#lost");
      need.action = "See why";
      needs.push_back(std::move(need));
    } else if (holding.lost() > 0) {
      Task need;
      need.key = format("losses:{}:{}:{}", holding.connection.connection_id, holding.last_import(), holding.lost());
      need.icon = Icon::kWarn;
      need.title = holding.lost() == 1 ? format("1 item of {} couldn't be imported", holding.name)
                                       : format("{} items of {} couldn't be imported", grouped(holding.lost()), holding.name);
      need.text = "See which ones and why. Everything else was imported.";
      need.to = Url::path("/sources#lost");
      need.action = "See which";
      needs.push_back(std::move(need));
    }
  }
}

void add_expiring_access(std::vector<Task>& needs, ClientFaces& faces, Instant now) {
  std::map<std::string, Instant> ends;  // the latest end of each client
  for (const server::GrantSummary& one : faces.grants()) {
    if (one.status != "active") continue;
    Instant& end = ends[one.grant.client_id];
    end = std::max(end, one.grant.expires_at.value_or(std::numeric_limits<Instant>::max()));
  }
  for (const auto& [client, end] : ends) {
    if (end - now > kEndsSoon || end <= now) continue;
    Task need;
    need.key = format("ends:{}:{}", client, end);
    need.icon = Icon::kClock;
    const std::string who = faces.at(client).short_name();
    need.title = format("{} loses access in {}", who.starts_with("a ") || who.starts_with("an ") ? auth::at_start(who) : who,
                        whole_days(end - now));
    need.text = format("Its access ends on {}.", month_day_text(end, now));
    need.to = Url::path("/client?id=", client);
    need.action = "Review";
    need.button = TaskButton{Url::path("/clients"), {{"do", "extend-30d"}, {"client", client}}, "Extend 30 days"};
    need.dismiss_label = "Let it end";
    needs.push_back(std::move(need));
  }
}

void add_failing_syncs(std::vector<Task>& needs, const std::vector<SyncedSource>& syncs, Instant now) {
  for (const SyncedSource& sync : syncs) {
    const bool asks = sync.state == SyncedSource::State::kAsks;
    if (!asks && sync.state != SyncedSource::State::kFailing) continue;
    Task need;
    need.icon = Icon::kWarn;
    need.to = Url::path("/sources").at("synced");
    if (asks) {
      need.key = format("removals:{}:{}", sync.name, sync.waiting_removals);
      need.title = format("{} {} no longer in {}", grouped(sync.waiting_removals),
                          sync.waiting_removals == 1 ? "message is" : "messages are", sync.name);
      need.text = "Nothing was removed here. Say whether you deleted them.";
      need.action = "Review";
    } else {
      need.key = format("sync:{}:{}:{}", sync.name, sync.error_code, sync.succeeded_at);
      need.title = format("{} stopped syncing", sync.name);
      need.text = format("{}. Next try: {}.", sync.error, auth::inside(moment_text(sync.due_at, now)));
      need.action = "Fix";
    }
    needs.push_back(std::move(need));
  }
}

void add_backup(std::vector<Task>& needs, const std::optional<store::BackupNote>& backup, std::int64_t failures, Instant now) {
  Task need;
  need.key = format("backup:{}", backup ? backup->made_at : 0);  // a newer backup, or its failure, is another task
  need.to = Url::path("/settings/backups");
  need.icon = Icon::kDisk;
  if (failures > 0) {
    need.key = "backup-failed" + need.key;
    need.icon = Icon::kWarn;
    need.title = "The last backup failed";
    need.text = backup ? format("The last complete one is of {}.", auth::inside(moment_text(backup->made_at, now)))
                       : "There is no complete backup yet.";
    need.action = "See why";
  } else if (!backup) {
    need.title = "There is no backup yet";
    need.text = "If this disk fails, your data is gone. Ladder can make a backup every day.";
    need.action = "Set up backups";
  } else if (now - backup->made_at > kOldBackup) {
    need.title = format("The last backup is {} days old", grouped((now - backup->made_at) / kDay));
    need.text = format("It was made on {}.", month_day_text(backup->made_at, now));
    need.action = "Back up";
  } else {
    return;
  }
  needs.push_back(std::move(need));
}

// A summary of the new records of an import.
std::string import_text(const Holding& holding, const server::ImportAccount& account) {
  std::int64_t added = 0, changed = 0;
  for (const server::ImportedStream& stream : account.streams) {
    if (holding.only_links(stream.stream)) continue;
    added += stream.added;
    changed += stream.changed;
  }
  std::string text = added > 0 ? grouped(added) + " new" : "";
  if (changed > 0) text += format("{}{} changed", text.empty() ? "" : ", ", grouped(changed));
  if (text.empty()) text = "nothing new";
  if (account.lost > 0) text += format(", {} couldn't be imported", grouped(account.lost));
  if (!account.complete) text += ", interrupted";
  return text;
}

Writer recent_imports(const std::vector<Holding>& all, Instant now) {
  struct Row {
    const Holding* holding;
    const server::ImportAccount* account;
  };
  std::vector<Row> rows;
  for (const Holding& holding : all) {
    for (const server::ImportAccount& account : holding.imports) rows.push_back({&holding, &account});
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const Row& row) { return row.account->kept_at; });
  rows.resize(std::min(rows.size(), kShownImports));
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"lately\"><div class=\"block-head\"><h2 id=\"lately\">Recently imported</h2><a "
      "href=\"/explore\">Search</a></div><ul class=\"card card-flush list\">");
  if (rows.empty()) out << Markup("<li><div class=\"what\"><p>No files imported yet.</p></div></li>");
  for (const Row& row : rows) {
    out << Markup("<li><span class=\"glyph\">") << icon(source_icon(row.holding->connection.source_key))
        << Markup("</span><div class=\"what\"><b dir=\"auto\">") << Text(row.holding->name) << Markup("</b><p>")
        << Text(import_text(*row.holding, *row.account)) << Markup(" <span class=\"quiet\">(<bdi>") << Text(row.account->file)
        << Markup("</bdi>)</span></p></div><time class=\"small quiet\"")
        << Attribute("datetime", format_time(row.account->kept_at)) << Markup(">") << Text(moment_text(row.account->kept_at, now))
        << Markup("</time></li>");
  }
  out << Markup("</ul></section>");
  return out;
}

struct ClientReading {
  std::int64_t today = 0, yesterday = 0, answers = 0, budget = 0;
};

std::map<std::string, ClientReading> readings(const std::vector<server::LedgerUse>& uses,
                                              const std::map<std::string, server::ReadBudget>& budgets, const ClientFaces& faces,
                                              std::int64_t today) {
  std::map<std::string, ClientReading> by_client;
  for (const server::LedgerUse& use : uses) {
    ClientReading& reading = by_client[use.client_id];
    (use.day == today ? reading.today : reading.yesterday) += use.chars;
    reading.answers += use.answers;
  }
  std::set<std::string> counted;  // grants of one consent share a budget
  for (const server::GrantSummary& one : faces.grants()) {
    const auto budget = budgets.find(one.grant.grant_id);
    const auto reading = by_client.find(one.grant.client_id);
    if (one.status != "active" || budget == budgets.end() || reading == by_client.end()) continue;
    if (counted.insert(budget->second.shared).second) reading->second.budget += budget->second.chars;
  }
  return by_client;
}

Writer recent_reads(const std::map<std::string, ClientReading>& by_client, ClientFaces& faces) {
  std::int64_t most = 1;
  for (const auto& [client, reading] : by_client) most = std::max(most, reading.today + reading.yesterday);
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"read\"><div class=\"block-head\"><h2 id=\"read\">Read since yesterday</h2><a "
      "href=\"/ledger\">Activity</a></div><div class=\"card bars\">");
  if (by_client.empty()) out << Markup("<p class=\"small soft\">No app has read anything.</p>");
  for (const auto& [client, reading] : by_client) {
    const ClientFace& face = faces.at(client);
    out << Markup("<div") << Attribute("class", colour(face)) << Markup("><div class=\"bar-head\">") << client_link(face)
        << Markup("<span class=\"num\">");
    if (reading.budget > 0) {
      out << Text(reading.today) << Markup(" of ") << Text(reading.budget) << Markup(" today</span></div>")
          << meter(reading.today, reading.budget,
                   format("{}: {} of {} characters today", face.short_name(), grouped(reading.today), grouped(reading.budget)));
    } else {
      const std::int64_t sum = reading.today + reading.yesterday;
      out << plural(sum, "character", "characters") << Markup("</span></div>")
          << meter(sum, most, format("{}: {} characters since yesterday", face.short_name(), grouped(sum)));
    }
    out << Markup("<p class=\"hint\">") << plural(reading.answers, "response", "responses");
    if (reading.budget > 0 && reading.yesterday > 0)
      out << Markup(", ") << Text(reading.yesterday) << Markup(" characters yesterday");
    out << Markup("</p></div>");
  }
  out << Markup("</div></section>");
  return out;
}

http::Response empty_home(const pages::Frame& frame, const std::string& csrf, const auth::ServerUrl& server_url,
                          bool can_import) {
  Writer main;
  main
      << Markup("<div class=\"page-head\"><div><h1>Welcome, <bdi>") << Text(frame.owner)
      << Markup(
             "</bdi></h1><p class=\"lead\">Nothing is here yet, and no app has access. Two steps to get "
             "started.</p></div></div><ol class=\"steps\" aria-label=\"First steps\"><li class=\"done\">Set up sign-in</li><li "
             "aria-current=\"step\">Import your data</li><li>Connect an app</li></ol>")
      << empty_drop(csrf, can_import)
      << Markup(
             "<section aria-labelledby=\"how\"><div class=\"block-head\"><h2 id=\"how\">How to get an export</h2></div><ul "
             "class=\"card card-flush list\"><li><span class=\"glyph\">")
      << icon(Icon::kMail)
      << Markup(
             "</span><div class=\"what\"><b>Gmail, Calendar, Contacts</b><p>Google Takeout: choose Mail as .mbox. It takes "
             "Google from minutes to a day.</p></div></li><li><span class=\"glyph\">")
      << icon(Icon::kChat)
      << Markup(
             "</span><div class=\"what\"><b>WhatsApp</b><p>Open a chat, “Export chat”, with media if you like.</p></div></li><li>"
             "<span class=\"glyph\">")
      << icon(Icon::kChat)
      << Markup(
             "</span><div class=\"what\"><b>ChatGPT, Claude, Slack</b><p>Request your data in the settings. Drop the .zip file "
             "here unchanged.</p></div></li><li><span class=\"glyph\">")
      << icon(Icon::kNote)
      << Markup(
             "</span><div class=\"what\"><b>Notes and documents</b><p>Drop the whole folder: Markdown, text, HTML, "
             "PDF.</p></div></li></ul></section>")
      << connect_card(server_url);
  return pages::page(200, frame, main);
}

Writer lead(const std::vector<Holding>& all, ClientFaces& faces, const std::map<std::string, ClientReading>& by_client,
            int this_year) {
  std::int64_t records = 0, connected = 0, chars = 0;
  int first = this_year, last = 0;
  for (const Holding& holding : all) {
    records += holding.records;
    if (holding.by_year.empty()) continue;
    first = std::min(first, holding.by_year.begin()->first);
    last = std::max(last, holding.by_year.rbegin()->first);
  }
  for (const ClientFace& face : faces.all()) connected += face.connected ? 1 : 0;
  for (const auto& [client, reading] : by_client) chars += reading.today + reading.yesterday;
  const std::string end = last >= this_year ? "today" : std::to_string(last);
  Writer out;
  out << Markup("<p class=\"lead\">You have <b>") << plural(records, "record", "records") << Markup("</b> from ")
      << Text(in_words(std::ssize(all))) << (all.size() == 1 ? Markup(" source") : Markup(" sources"));
  if (last > 0) out << Markup(", ") << Text(std::to_string(first)) << Markup(" to ") << Text(end);
  out << Markup(". ") << Text(auth::at_start(in_words(connected)))
      << (connected == 1   ? Markup(" app can see parts of them. ")
          : connected == 0 ? Markup(" app can see any of them. ")
                           : Markup(" apps can see parts of them. "));
  if (chars > 0) out << Markup("Since yesterday <b>") << plural(chars, "character", "characters") << Markup("</b> were read.");
  else out << Markup("No app has read anything since yesterday.");
  out << Markup("</p>");
  return out;
}

}  // namespace

Result<http::Response> Console::home(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const Instant now = authorization_.now();
  const std::int64_t today = floor_div(now, kDay);
  const int this_year = year_of(now);
  LADDER_TRY(auto all, holdings(server.sources(), server.reads(), server.imports(), *visit.owner, Depth::kYears));
  LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const auto requests, authorization_.requests().opened(*visit.owner));
  LADDER_TRY(const auto uses, server.ledger().uses(*visit.owner, today - 1, today));
  LADDER_TRY(const auto budgets, server.ledger().budgets(*visit.owner));
  LADDER_TRY(const auto backup, server.maintenance().last_backup(*visit.owner));
  const auto uploads = importer_ ? importer_->uploads(*visit.owner) : std::vector<Upload>();
  for (const Upload& upload : uploads) {
    if (is_under_way(upload)) exclude_running_imports(all, upload.begun_at);
  }
  pages::Frame frame = visit.frame;
  frame.title = "Home";
  const auto waits = [](const auth::AuthorizationRequest& one) { return one.status == "waiting"; };
  const auto goes_on = [](const Upload& one) { return one.state != UploadState::kDone; };
  if (all.empty() && std::ranges::none_of(uploads, goes_on) && std::ranges::none_of(requests, waits)) {
    return empty_home(frame, visit.csrf(), visit.server_url, importer_ != nullptr);
  }
  std::vector<Task> needs;
  add_requests(needs, requests, now);
  add_expiring_access(needs, faces, now);
  add_uploads(needs, uploads);
  if (about_.syncs != nullptr) {
    LADDER_TRY(const auto syncs, about_.syncs->list(*visit.owner));
    add_failing_syncs(needs, syncs, now);
  }
  add_import_problems(needs, all, now);
  if (server.grants().has_unwritten_revocations()) {
    Task need;
    need.icon = Icon::kWarn;
    need.title = "Access is revoked but not saved yet";
    need.text = "The server already denies access, but couldn't save the change. It retries every second.";
    need.to = Url::path("/clients");
    need.action = "See apps";
    needs.push_back(std::move(need));
  }
  if (about_.backups != nullptr && about_.backups->is_administrator(*visit.owner)) {
    LADDER_TRY(const std::int64_t failures, about_.backups->failures(*visit.owner));
    add_backup(needs, backup, failures, now);
  }
  bool writes = false;
  if (about_.asking != nullptr && about_.asking->model() != nullptr) {
    LADDER_TRY(const ask::ModelAccess access, about_.asking->access(*visit.owner));
    writes = access.allowed;
  }
  LADDER_TRY(const Arrangement arrangement, Arrangement::of(server, *visit.owner));
  const std::vector<Holding> shown = arranged(all, arrangement);
  const auto by_client = readings(uses, budgets, faces, today);
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Home</h1>") << lead(shown, faces, by_client, this_year)
       << Markup("</div></div>") << ask_box("", visit.csrf(), writes, true);
  LADDER_TRY(const TaskLists tasks, sorted(server, *visit.owner, std::move(needs)));
  main << task_list(tasks, visit.csrf(), now);
  main << Markup(
              "<div class=\"cols cols-wide\"><div class=\"stack-5\"><section aria-labelledby=\"have\"><div "
              "class=\"block-head\"><h2 id=\"have\">What you have</h2><a href=\"/sources\">All sources</a></div>")
       << timeline(shown, this_year) << Markup("</section>") << recent_imports(shown, now)
       << Markup("</div><div class=\"stack-5\">") << recent_reads(by_client, faces) << connect_card(visit.server_url)
       << Markup("</div></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
