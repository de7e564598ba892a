// JSON output holds the grant's immutable body as stored; text output shows the same for people.
#include "cli/access/grant_text.h"

#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "json/writer.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + visible_label(word);
  return text;
}

const grant::FieldOrigin* origin_of(const server::GrantSummary& summary, std::size_t stream) {
  return summary.origins.size() == summary.grant.streams.size() ? &summary.origins[stream] : nullptr;
}

std::string stream_text(const server::GrantSummary& summary, std::size_t at) {
  const grant::StreamGrant& stream = summary.grant.streams[at];
  std::string text = visible_label(stream.name) + ": " + fields_text(summary, at) + "; of " + joined(stream.instance_ids);
  if (stream.time && stream.time->since) text += "; since " + format_time(*stream.time->since);
  if (stream.time && stream.time->until) text += "; until " + format_time(*stream.time->until);
  if (!stream.resources.empty()) text += "; records " + joined(stream.resources);
  return text;
}

// Returns CONNECTION/STREAM:field,… in the form that parse_stream_word accepts, or "" if it would be parsed
// differently.
std::string stream_word(const std::string& connection, const std::string& stream, const std::vector<std::string>& fields) {
  if (connection.find('/') != std::string::npos || stream.find(':') != std::string::npos) return {};
  std::string word = connection + "/" + stream;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].find(',') != std::string::npos) return {};
    word += (i == 0 ? ":" : ",") + fields[i];
  }
  return shell_word(word);
}

}  // namespace

std::string fields_text(const server::GrantSummary& summary, std::size_t stream) {
  const grant::StreamGrant& granted = summary.grant.streams[stream];
  const grant::FieldOrigin* origin = origin_of(summary, stream);
  if (origin == nullptr) return joined(granted.fields);
  std::string text = origin->all ? "all fields: " : "";
  for (const std::string& field : granted.fields) {
    text += (&field == &granted.fields.front() ? "" : ", ") + visible_label(field);
    if (!origin->is_added(field)) continue;
    const bool is_content = std::ranges::find(origin->content, field) != origin->content.end();
    text += is_content ? " (added: required by the source)" : " (added: the key)";
  }
  return text;
}

std::string widening_text(const server::GrantSummary& summary) {
  std::string text;
  for (const grant::FieldOrigin& origin : summary.origins) {
    if (origin.content.empty()) continue;
    text += format("{}{} was granted with {}, and also allows {}, which was not named", text.empty() ? "" : "; ",
                   visible_label(origin.stream), joined(origin.named), joined(origin.content));
  }
  return text +
         format("; version {} of the source's declaration required that", visible_label(summary.grant.declaration_version));
}

std::string recreate_command(const grant::Grant& grant, const std::vector<grant::FieldOrigin>& origins) {
  std::string command = "ladder grant create --client " + shell_word(grant.client_id);
  for (std::size_t i = 0; i < grant.streams.size(); ++i) {
    const grant::StreamGrant& stream = grant.streams[i];
    const bool all = i >= origins.size() || origins[i].all;
    for (const std::string& connection : stream.instance_ids) {
      const std::string word = stream_word(connection, stream.name, all ? std::vector<std::string>() : origins[i].named);
      if (word.empty()) return {};
      command += " --stream " + word;
      if (stream.time && stream.time->since) command += " --since " + format_time(*stream.time->since);
      if (stream.time && stream.time->until) command += " --until " + format_time(*stream.time->until);
      for (const std::string& key : stream.resources) command += " --record " + shell_word(key);
    }
  }
  if (grant.expires_at) command += " --expires " + format_time(*grant.expires_at);
  if (grant.single_use) command += " --single-use";
  if (grant.purpose_code != grant::kDefaultPurpose) command += " --purpose " + shell_word(grant.purpose_code);
  return command;
}

std::string retry_hint_of_widening(const server::GrantSummary& summary) {
  const bool still = std::ranges::any_of(summary.origins, [](const auto& origin) { return !origin.still_required.empty(); });
  const std::string command = recreate_command(summary.grant, summary.origins);
  std::string text;
  if (still && !app::is_shipped_source(summary.grant.source_id)) {
    text =
        "remove these fields from `required` in the declaration, increase its declaration_version and run `ladder source add`; ";
  }
  text += command.empty() ? "create a new grant with the named fields" : command;
  return text + format("   and then, with the new token in place: ladder grant revoke {}", summary.grant.grant_id);
}

std::string budget_text(const server::ReadBudget& budget) {
  return format("{} characters per day, and {} bytes of non-text files", budget.chars, budget.bytes);
}

void show_grant(Console& console, const server::GrantSummary& summary, const server::ReadBudget* budget) {
  if (console.json()) {
    json::Writer out;
    rest::write_grant(out, summary);
    return console.out(out.take() + "\n");
  }
  const grant::Grant& grant = summary.grant;
  std::vector<std::vector<std::string>> rows = {
      {"grant", grant.grant_id},
      {"status", summary.status},
      {"client", visible_label(grant.client_id)},
      {"source", visible_label(grant.source_id)},
      {"purpose", visible_label(grant.purpose_code)},
      {"issued", format_time(grant.issued_at)},
      {"expires", grant.expires_at ? format_time(*grant.expires_at) : "never"},
  };
  if (summary.row.revoked_at) rows.push_back({"revoked", format_time(*summary.row.revoked_at)});
  if (summary.row.last_used_at) rows.push_back({"last use", format_time(*summary.row.last_used_at)});
  if (grant.single_use) rows.push_back({"use", "one token"});
  if (budget) rows.push_back({"budget", budget_text(*budget)});
  for (std::size_t i = 0; i < grant.streams.size(); ++i) rows.push_back({"stream", stream_text(summary, i)});
  if (summary.is_widened()) {
    rows.push_back({"widened", widening_text(summary)});
    if (summary.status == "active") rows.push_back({"recreate", retry_hint_of_widening(summary)});
  }
  console.out(table(rows));
}

}  // namespace ladder::cli
