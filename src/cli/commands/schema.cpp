// ladder schema: lists the readable streams, or one stream's fields and their allowed uses; the same read as GET /v1/schema.
#include "rest/schema.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/flags/read_flags.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "model/quote.h"
#include "rest/arguments.h"

#include <algorithm>
#include <array>

namespace ladder::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using Imports = std::vector<server::ImportSummary>;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + visible_label(name);
  return text;
}

// Describes the allowed uses of a field under this token.
std::string uses(const api::FieldView& field) {
  const std::array<std::pair<const char*, const api::Capability*>, 8> all = {{{"filter", &field.exact_filter},
                                                                              {"search", &field.lexical_search},
                                                                              {"sum", &field.sum},
                                                                              {"min", &field.min},
                                                                              {"max", &field.max},
                                                                              {"count distinct", &field.count_distinct},
                                                                              {"group by", &field.group_by},
                                                                              {"group by time", &field.group_by_time}}};
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  for (const auto& [word, capability] : all) {
    if (capability->usable) add(word);
    if (capability == &field.exact_filter && field.range_filter.usable) {
      std::string operators;
      for (const std::string& one : field.range_operators) operators += (operators.empty() ? "" : "/") + one;
      add("range " + operators);
    }
  }
  return text.empty() ? "-" : text;
}

std::string import_text(const server::ImportSummary& import) {
  std::string text = format("{}: last on {}, {} read", import.connection_id, format_time(import.last_import).substr(0, 10),
                            grouped(import.records_read));
  if (!import.from.empty()) text += format(", {} to {}", import.from.substr(0, 10), import.to.substr(0, 10));
  if (import.not_imported > 0) text += format(", {} could not be read", grouped(import.not_imported));
  if (!import.complete) text += ", not finished";
  return text + format(" (ladder connection show {})", import.connection_id);
}

class Schema final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("STREAM", stream_, "one stream in detail (default: a summary of all streams)");
    arguments.value("--connection", "ID", connection_, "only this connection");
    caller_.declare(arguments);
    arguments.example("ladder schema");
    arguments.example("ladder schema notes");
    arguments.example("LADDER_TOKEN=… ladder schema notes --token env --json");
  }

  Result<int> run(Context& context) override {
    RestTarget target("/v1/schema");
    if (stream_) target.add("stream", *stream_);
    if (connection_) target.add("connection_id", *connection_);
    std::vector<api::Warning> warnings;
    LADDER_TRY(const auto query, http::Query::parse(target.query()));
    LADDER_TRY(const auto arguments, rest::schema_arguments(query, warnings));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    LADDER_TRY(const auto view, session->server().reads().schema(access, arguments.request));
    if (stream_ && view.sources.empty()) return no_stream(access);
    LADDER_TRY(const auto imports, session->server().imports().summaries(access, view));
    if (context.console.json()) {
      context.console.out(rest::schema_text(view, arguments, imports, target.text(), std::move(warnings)) + "\n");
    } else {
      context.console.out(stream_ ? in_detail(context.console, view, imports) : in_short(context.console, view));
    }
    return kDone;
  }

 private:
  std::unexpected<Error> no_stream(const server::Access& access) const {
    const std::string where = connection_ ? format(" in connection {}", model::in_quotes(*connection_)) : "";
    if (access.is_owner()) {
      return fail(Code::kNotFound,
                  format("unknown stream {}{}; ladder schema lists the streams", model::in_quotes(*stream_), where), "stream");
    }
    return fail(Code::kStreamNotAllowed, format("the grant does not cover a stream {}{}", model::in_quotes(*stream_), where),
                "stream");
  }

  static std::string in_short(const Console& console, const api::SchemaView& view) {
    Rows rows = {{"STREAM", "CONNECTION", "RECORDS", "NEWEST", "SOURCE"}};
    for (const api::SourceView& source : view.sources) {
      for (const api::StreamView& stream : source.streams) {
        for (const api::ConnectionView& connection : stream.connections) {
          rows.push_back({visible_label(stream.name), connection.connection_id,
                          connection.record_count < 0 ? "many" : grouped(connection.record_count),
                          connection.last_updated.empty() ? "-" : connection.last_updated, source.connector_key});
        }
      }
    }
    if (rows.size() > 1) return table_or_lines(console, rows);
    return view.token_kind == "owner" ? "There is no data yet; start with ladder source add and ladder connection add.\n"
                                      : "The grant covers no existing data.\n";
  }

  static std::string in_detail(const Console& console, const api::SchemaView& view, const Imports& imports) {
    std::string out;
    for (const api::SourceView& source : view.sources) {
      for (const api::StreamView& stream : source.streams) {
        if (console.out_is_terminal()) out += (out.empty() ? "" : "\n") + heading(console, source, stream, imports);
        Rows rows = {{"FIELD", "TYPE", "GRANTED", "USES"}};
        for (const api::FieldView& field : stream.fields) {
          rows.push_back({visible_label(field.name), visible_label(field.type), field.granted ? "yes" : "no", uses(field)});
        }
        out += table_or_lines(console, rows);
      }
    }
    return out;
  }

  static std::string heading(const Console& console, const api::SourceView& source, const api::StreamView& stream,
                             const Imports& imports) {
    std::string out = console.paint_out(Tone::kStrong, visible_label(stream.name)) + " of " + source.connector_key;
    if (!stream.label.empty()) out += ": " + visible_label(stream.label);
    out += "\n";
    Rows facts = {{"key", joined(stream.primary_key)}};
    if (!stream.cursor_field.empty()) facts.push_back({"order", visible_label(stream.cursor_field)});
    std::vector<std::string> names;
    names.reserve(stream.connections.size());
    for (const api::ConnectionView& connection : stream.connections) names.push_back(connection.connection_id);
    facts.push_back({"connections", joined(names)});
    for (const server::ImportSummary& import : imports) {
      const bool here = import.stream == stream.name && std::ranges::find(names, import.connection_id) != names.end();
      if (here) facts.push_back({"imported", import_text(import)});
    }
    names.clear();
    for (const model::View& one : stream.views) names.push_back(one.id);
    if (!names.empty()) facts.push_back({"views", joined(names)});
    names.clear();
    for (const api::ExpandView& expansion : stream.expansions) names.push_back(expansion.name);
    if (!names.empty()) facts.push_back({"expand", joined(names)});
    if (stream.time_bounds) {
      const auto bound = [](const std::string& text) { return text.empty() ? std::string("…") : text; };
      facts.push_back({"granted", format("{} from {} to {}", visible_label(stream.time_bounds->field),
                                         bound(stream.time_bounds->since), bound(stream.time_bounds->until))});
    }
    return out + table(facts) + "\n";
  }

  std::optional<std::string> stream_, connection_;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_schema() { return std::make_unique<Schema>(); }

}  // namespace ladder::cli
