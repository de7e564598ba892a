// The JSON holds the grant's immutable body as it is stored; the text says the same for people.
#include "cli/grant_view.h"

#include "base/format.h"
#include "cli/console.h"
#include "cli/visible_text.h"

namespace ladder::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + visible_label(word);
  return text;
}

std::string stream_text(const grant::StreamGrant& stream) {
  std::string text = visible_label(stream.name) + ": " + joined(stream.fields) + "; of " + joined(stream.instance_ids);
  if (stream.time && stream.time->since) text += "; since " + format_time(*stream.time->since);
  if (stream.time && stream.time->until) text += "; until " + format_time(*stream.time->until);
  if (!stream.resources.empty()) text += "; records " + joined(stream.resources);
  return text;
}

}  // namespace

void write_grant(json::Writer& out, const rs::GrantSummary& summary) {
  out.begin_object().member("grant_id", summary.grant.grant_id).member("status", summary.status);
  out.member("client_id", summary.grant.client_id).member("source_id", summary.grant.source_id);
  out.member("issued_at", format_time(summary.grant.issued_at));
  if (summary.grant.expires_at) out.member("expires_at", format_time(*summary.grant.expires_at));
  if (summary.row.revoked_at) out.member("revoked_at", format_time(*summary.row.revoked_at));
  out.key("grant").raw(summary.row.body).end_object();
}

void show_grant(Console& console, const rs::GrantSummary& summary) {
  if (console.json()) {
    json::Writer out;
    write_grant(out, summary);
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
  if (grant.single_use) rows.push_back({"use", "one token"});
  for (const grant::StreamGrant& stream : grant.streams) rows.push_back({"stream", stream_text(stream)});
  console.out(table(rows));
}

}  // namespace ladder::cli
