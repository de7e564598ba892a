// ladder connection add, list and show: the configured accounts of sources, as JSON or as text.
#include "app/import/import_account.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/console.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

void write_connection(json::Writer& out, const server::ConnectionSummary& connection) {
  out.begin_object().member("connection_id", connection.connection_id).member("connector_key", connection.source_key);
  out.member("source_id", connection.source_id).optional_member("display_name", connection.display_name);
  out.member("status", connection.status).member("created_at", format_time(connection.created_at));
  out.key("streams").begin_array();
  for (const auto& stream : connection.streams) {
    out.begin_object().member("name", stream.stream).member("records", stream.records).end_object();
  }
  out.end_array().end_object();
}

// Returns several lines.
std::string connection_text(const server::ConnectionSummary& connection) {
  std::vector<std::vector<std::string>> rows = {
      {"connection", connection.connection_id},
      {"source", format("{} ({})", connection.source_key, visible_label(connection.source_id))},
      {"name", connection.display_name.empty() ? "-" : visible_label(connection.display_name)},
      {"status", connection.status},
      {"created", format_time(connection.created_at)},
  };
  for (const auto& stream : connection.streams) {
    rows.push_back({"stream", format("{}: {} records", visible_label(stream.stream), grouped(stream.records))});
  }
  return table(rows);
}

std::int64_t record_count(const server::ConnectionSummary& connection) {
  std::int64_t records = 0;
  for (const auto& stream : connection.streams) records += stream.records;
  return records;
}

// ladder connection add: adds an account of a source.
class ConnectionAdd final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("KEY", source_key_, "the source's key, as source add printed it");
    arguments.value("--name", "NAME", name_, "a label for people");
    arguments.value("--id", "ID", id_, "the connection's id (default: a new random one)");
    arguments.example("ladder connection add notes --name \"My notes\"");
    arguments.example("ladder connection add notes --id notes-home");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const server::ConnectionSummary added,
               session->server().sources().add_connection(owner, source_key_, name_.value_or(""), id_.value_or("")));
    if (context.console.json()) {
      json::Writer out;
      write_connection(out, added);
      context.console.out(out.take() + "\n");
    } else {
      context.console.out(connection_text(added) + next_step(added));
    }
    return kDone;
  }

 private:
  static std::string next_step(const server::ConnectionSummary& added) {
    const std::string stream = added.streams.empty() ? "STREAM" : added.streams.front().stream;
    return format("Next: ladder ingest --connection {} --stream {} FILE\n", added.connection_id, stream);
  }

  std::string source_key_;
  std::optional<std::string> name_, id_;
};

}  // namespace

std::unique_ptr<Command> make_connection_add() { return std::make_unique<ConnectionAdd>(); }

// ladder connection list: lists the owner's connections, one per line.

namespace {

class ConnectionList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder connection list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const auto connections, session->server().sources().connections(owner));
    context.console.out(context.console.json() ? as_json(connections) : as_text(connections));
    return kDone;
  }

 private:
  static std::string as_json(const std::vector<server::ConnectionSummary>& connections) {
    json::Writer out;
    out.begin_object().key("connections").begin_array();
    for (const auto& connection : connections) write_connection(out, connection);
    out.end_array().end_object();
    return out.take() + "\n";
  }

  static std::string as_text(const std::vector<server::ConnectionSummary>& connections) {
    if (connections.empty()) return "No connections yet; ladder connection add KEY creates one.\n";
    std::vector<std::vector<std::string>> rows = {{"CONNECTION", "SOURCE", "STATUS", "RECORDS", "NAME"}};
    for (const auto& connection : connections) {
      rows.push_back({connection.connection_id, connection.source_key, connection.status, grouped(record_count(connection)),
                      visible_label(connection.display_name)});
    }
    return table(rows);
  }
};

}  // namespace

std::unique_ptr<Command> make_connection_list() { return std::make_unique<ConnectionList>(); }

// ladder connection show: shows one connection, the number of records in each stream, and the report of every import
// into it.

namespace {

class ConnectionRename final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the connection");
    arguments.word("NAME", name_, "its new name; '' for the name of its source");
    arguments.example("ladder connection rename notes-home 'Notes at home'");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_CHECK(session->server().sources().rename_connection(owner, id_, name_));
    LADDER_TRY(const server::ConnectionSummary connection, session->server().sources().connection(owner, id_));
    json::Writer out;
    write_connection(out, connection);
    context.console.out(context.console.json() ? out.take() + "\n" : connection_text(connection));
    return kDone;
  }

 private:
  std::string id_, name_;
};

class ConnectionShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.word("ID", id_, "the connection");
    arguments.example("ladder connection show notes-home");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    LADDER_TRY(const server::ConnectionSummary connection, session->server().sources().connection(owner, id_));
    LADDER_TRY(const auto imports, session->server().imports().list(owner, id_));
    context.console.out(context.console.json() ? as_json(connection, imports) : as_text(connection, imports));
    return kDone;
  }

 private:
  static std::string as_json(const server::ConnectionSummary& connection, const std::vector<store::ImportRow>& imports) {
    json::Writer out;
    write_connection(out, connection);
    std::string text = out.take();
    text.pop_back();  // the closing brace
    text += ",\"imports\":[";
    for (const store::ImportRow& import : imports) text += (text.ends_with('[') ? "" : ",") + import.body;
    return text + "]}\n";
  }

  static std::string as_text(const server::ConnectionSummary& connection, const std::vector<store::ImportRow>& imports) {
    std::string text = connection_text(connection);
    for (const store::ImportRow& import : imports) {
      const auto account = app::read_account(import.body);
      if (!account) continue;
      text += format("\nimported {}: {} ({}){}\n{}", format_time(import.kept_at), visible_label(account->what),
                     visible_label(account->file), account->position.empty() ? "" : ", not finished: run the same import again",
                     account_text(*account, kShownLosses));
    }
    return text;
  }

  static constexpr std::size_t kShownLosses = 10;
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_connection_rename() { return std::make_unique<ConnectionRename>(); }
std::unique_ptr<Command> make_connection_show() { return std::make_unique<ConnectionShow>(); }

}  // namespace ladder::cli
