// Grants for their owner, over REST and on the command line.
#include "rest/render.h"

namespace ladder::rest {
namespace {

void write_stream(json::Writer& out, const grant::StreamGrant& stream, const grant::FieldOrigin& origin) {
  out.begin_object().member("stream", stream.name);
  write_names(out, "connection_ids", stream.instance_ids);
  write_names(out, "fields", stream.fields);
  out.member("all_fields", origin.all);
  write_names(out, "named", origin.named);
  write_names(out, "added", origin.added);
  write_names(out, "added_content", origin.content);
  out.end_object();
}

}  // namespace

void write_names(json::Writer& out, std::string_view member, const std::vector<std::string>& names) {
  out.key(member).begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array();
}

void write_grant(json::Writer& out, const rs::GrantSummary& summary) {
  const grant::Grant& grant = summary.grant;
  out.begin_object().member("grant_id", grant.grant_id).member("status", summary.status);
  out.member("client_id", grant.client_id).member("source_id", grant.source_id);
  out.member("issued_at", format_time(grant.issued_at));
  if (grant.expires_at) out.member("expires_at", format_time(*grant.expires_at));
  if (summary.row.revoked_at) out.member("revoked_at", format_time(*summary.row.revoked_at));
  if (summary.row.last_used_at) out.member("last_used_at", format_time(*summary.row.last_used_at));
  if (summary.origins.size() == grant.streams.size()) {
    out.key("streams").begin_array();
    for (std::size_t i = 0; i < grant.streams.size(); ++i) write_stream(out, grant.streams[i], summary.origins[i]);
    out.end_array();
  }
  out.key("grant").raw(summary.row.body).end_object();
}

std::string render_grants(const std::vector<rs::GrantSummary>& grants) {
  json::Writer out;
  out.begin_object().key("grants").begin_array();
  for (const rs::GrantSummary& summary : grants) write_grant(out, summary);
  return out.end_array().end_object().take();
}

}  // namespace ladder::rest
