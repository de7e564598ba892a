// The page of one record: its content, its readers and related records, or exactly what a client gets.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kFieldChars = 16'384;  // longer fields are read in windows
constexpr std::size_t kMaxRelations = 8;      // relations read with a record
constexpr std::int64_t kRelatedRecords = 10;  // records per relation

// Reads the record with its related records, as far as this access may see them.
Result<api::Record> read(server::ResourceServer& server, const server::Access& access, const ShownStreams& streams,
                         const model::RecordRef& ref) {
  api::RecordRequest request;
  request.record = ref;
  request.max_field_chars = kFieldChars;
  if (const ShownStream* const stream = streams.find(ref)) {
    for (const api::ExpandView& expansion : stream->stream->expansions) {
      if (!expansion.usable || request.expand.size() == kMaxRelations) continue;
      request.expand.push_back(expansion.name);
      request.expand_limits.emplace_back(expansion.name,
                                         std::min(kRelatedRecords, expansion.max_limit.value_or(kRelatedRecords)));
    }
  }
  auto found = server.reads().record(access, request);
  if (found || request.expand.empty()) return found;
  request.expand.clear();  // a failing relation must not hide the record
  request.expand_limits.clear();
  return server.reads().record(access, request);
}

// Returns true if the error only means that this reader may not see the record.
bool is_closed(const Error& error) {
  return error.code == Code::kNotFound || error.code == Code::kStreamNotAllowed || error.code == Code::kConnectionNotFound ||
         error.code == Code::kStreamNotDeclared || error.code == Code::kBlobNotFound;
}

http::Response missing(pages::Frame frame, const Error& error) {
  frame.title = "Not found";
  Writer main;
  main << Markup(
              "<div class=\"gate-box\"><h1>Record not found</h1><p class=\"soft\">It may have been erased, or the link is "
              "incomplete.</p><p><a class=\"btn\" href=\"/explore\">Search</a></p><p class=\"small quiet\">Error code: <code>")
       << Text(error.wire()) << Markup("</code></p></div>\n");
  return pages::page(error.http_status(), frame, main);
}

// Describes the grant.
std::string grant_words(const grant::Grant& grant, const grant::StreamGrant& stream) {
  std::string words = format("Access since {}: {}", auth::day_text(grant.issued_at), auth::listed(stream.fields));
  if (stream.time && stream.time->since) words += " since " + auth::day_text(*stream.time->since);
  if (stream.time && stream.time->until) words += " before " + auth::day_text(*stream.time->until);
  if (!stream.resources.empty()) words += format(" of {} chosen records", stream.resources.size());
  return words + ". ";
}

Writer viewer_notice(const RecordView& view) {
  const std::string name = view.viewer.client->short_name();
  const grant::Grant* const grant = view.viewer.grant_for(view.ref());
  const grant::StreamGrant* const stream = grant ? grant->stream(view.ref().stream) : nullptr;
  Writer out;
  out << Markup("<div class=\"notice notice-info\">") << icon(Icon::kInfo) << Markup("<p><b>");
  if (view.shown) {
    out << Markup("This is exactly what <bdi>") << Text(name) << Markup("</bdi> gets.</b> ");
    if (stream) out << Text(grant_words(*grant, *stream));
    out << Markup("Gray bars are fields that aren't shared. The app doesn't see them.");
  } else {
    out << Markup("<bdi>") << Text(name) << Markup("</bdi> gets nothing of this record.</b> ");
    if (stream) out << Text(grant_words(*grant, *stream)) << Markup("Its access doesn't include this record.");
    else out << Markup("It has no access to this kind of data.");
  }
  out << Markup("</p></div>");
  return out;
}

Writer heading(const RecordView& view, Matches& matches) {
  const std::string& field = view.stream.roles.title;
  const std::string title = text_of(view.own.data, field);
  Writer out;
  out << Markup("<h1 dir=\"auto\"") << Attribute("data-field", field) << Markup(">");
  if (title.empty() && view.stream.look == Look::kMail) out << Markup("(no subject)");
  else if (title.empty() && view.stream.look == Look::kPerson) out << Markup("(no name)");
  else if (title.empty() && view.stream.look == Look::kEvent) out << Markup("(no title)");
  else if (title.empty()) out << Text(heading_of(view.ref().stream)) << Markup(" ") << Text(view.ref().record_id);
  else if (view.gets(field)) out << matches.marked(field, api::shortened(title, api::kTitleChars));
  else out << withheld(heading_of(field) + ": not shared");
  out << Markup("</h1>");
  return out;
}

Writer crumbs(const RecordView& view) {
  Writer out;
  out << Markup("<p class=\"crumb\"><a") << Attribute("href", Url::path("/explore").with("as", view.viewer.client_id()))
      << Markup(">Search</a> <span>/</span> ");
  if (!view.q.empty()) {
    out << Markup("<a dir=\"auto\"")
        << Attribute("href", Url::path("/explore").with("q", view.q).with("as", view.viewer.client_id())) << Markup(">")
        << Text(view.q) << Markup("</a> <span>/</span> ");
  }
  out << Markup("<span dir=\"auto\">") << Text(view.streams.connection_name(view.ref().connection_id)) << Markup(", ")
      << Text(view.ref().stream) << Markup("</span></p>");
  return out;
}

// The fields that belong to the look of the record.
Writer card(const RecordView& view, const Writer& facts) {
  if (view.stream.look != Look::kPerson) return facts;
  const std::string& title = view.stream.roles.title;
  Writer out;
  out << Markup("<div class=\"person-head\">") << avatar(view.gets(title) ? text_of(view.shown->data, title) : "", "avatar-l")
      << facts << Markup("</div>");
  return out;
}

// The JSON that the client receives.
Writer as_sent(const RecordView& view) {
  Writer out;
  if (view.viewer.is_owner() || !view.shown) return out;
  out << Markup("<details><summary>JSON sent to the app</summary>");
  if (!view.shown->cut.empty()) {
    out << Markup("<p class=\"small quiet\">Long values are shortened here. The app can read the rest in parts.</p>");
  }
  out << Markup("<pre class=\"window\" tabindex=\"0\" aria-label=\"JSON sent to the app\"><span class=\"own\">")
      << Text(view.shown->data) << Markup("</span></pre></details>");
  return out;
}

}  // namespace

Url RecordView::address() const { return address_of(ref()); }

Url RecordView::address_of(const model::RecordRef& record) const {
  return Url::path("/record").with("id", model::format_record_id(record)).with("q", q).with("as", viewer.client_id());
}

bool RecordView::gets(std::string_view field) const {
  return shown && !shown->data.empty() && json::member(shown->data, field).has_value();
}

Reading Reading::of(const pages::Form& form) {
  const auto number = [&](std::string_view name) {
    const std::string digits = form.one(name);
    return http::is_digits(digits) && digits.size() < 16 ? std::optional<std::int64_t>(std::stoll(digits)) : std::nullopt;
  };
  return {form.one("field"), form.one("cursor"), number("page"), number("at"), number("from")};
}

Writer withheld(std::string_view what) {
  Writer out;
  out << Markup("<span class=\"withheld\">") << Text(what) << Markup("</span>");
  return out;
}

Result<http::Response> Console::record(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const auto named = model::parse_record_id(visit.form.one("id"));
  if (!named) return missing(visit.frame, named.error());
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, visit.form.one("as")));
  LADDER_TRY(const ShownStreams streams, ShownStreams::of(server, *visit.owner));
  auto own = read(server, *visit.owner, streams, *named);
  if (!own && is_closed(own.error())) return missing(visit.frame, own.error());
  if (!own) return std::unexpected(own.error());
  const ShownStream* const stream = streams.find(own->ref);
  if (!stream) return fail(Code::kNotFound, "The source of this record no longer has this kind of data.", "id");
  RecordView view{server, *visit.owner, viewer, faces, streams, *stream, *std::move(own)};
  view.q = visit.form.one("q");
  view.now = authorization_.now();
  view.paints_pages = about_.painter != nullptr;
  if (viewer.is_owner()) {
    view.shown = view.own;
  } else {
    LADDER_TRY(const ShownStreams theirs, ShownStreams::of(server, viewer.access));
    auto shown = read(server, viewer.access, theirs, view.ref());
    if (shown) view.shown = *std::move(shown);
    else if (!is_closed(shown.error())) return std::unexpected(shown.error());
  }
  std::set<std::string> names;
  for (const api::FieldView& field : stream->stream->fields) names.insert(field.name);
  Matches matches(view.q, std::move(names));
  Reading reading = Reading::of(visit.form);
  const bool is_chat = stream->look == Look::kChat && reading.field.empty();
  const Writer title_line = heading(view, matches);
  RecordHead head;
  RecordText text;
  if (is_chat) {
    LADDER_TRY(auto chat, record_chat(view, reading, matches));
    head.html << chat.html;
    text = std::move(chat.text);
    for (const std::string& field : {stream->roles.author, stream->roles.time}) {
      if (view.gets(field)) head.fields.insert(field);
    }
  } else {
    head = record_head(view, matches);
    LADDER_TRY(text, record_text(view, reading, matches));
  }
  const Writer page = record_page(view, reading);
  LADDER_TRY(const Writer files, record_files(view, matches));
  const RecordFacts facts = record_facts(view, head.fields, matches);
  Writer conversation;
  if (!is_chat) {
    LADDER_TRY(conversation, record_conversation(view));
  }
  LADDER_TRY(const Writer related, record_related(view));
  LADDER_TRY(const Writer seen, record_seen(view));

  pages::Frame frame = visit.frame;
  const std::string title = text_of(view.own.data, stream->roles.title);
  frame.title = view.gets(stream->roles.title) && !title.empty() ? api::shortened(title, api::kTitleChars) : "A record";
  const Url plain = Url::path("/record").with("id", model::format_record_id(view.ref())).with("q", view.q);
  Writer main;
  main << Markup("<div>") << crumbs(view) << Markup("<div class=\"page-head\">") << title_line
       << viewer_switch("As seen by", faces, viewer, plain) << Markup("</div></div>\n");
  if (!viewer.is_owner()) main << viewer_notice(view);
  main << Markup("<div class=\"cols cols-main\"><article")
       << Attribute("class", viewer.is_owner() ? "reader" : "reader as-view " + colour(*viewer.client))
       << Markup(" aria-label=\"The record\">") << match_bar(view, matches, text) << head.html << card(view, facts.main) << page;
  if (!is_chat) main << text.html;
  main << files << facts.details << as_sent(view) << Markup("</article><aside class=\"stack-5\">") << conversation << related
       << seen;
  if (viewer.is_owner()) {
    main << Markup("<p><a class=\"btn btn-s btn-bare\"")
         << Attribute("href", Url::path("/record/delete").with("id", model::format_record_id(view.ref())))
         << Markup(">Delete…</a></p>");
  }
  main << Markup("</aside></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
