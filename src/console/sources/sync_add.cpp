// The page that adds a mail account, calendars, contacts or a feed. The sign-in is tested before anything is stored; the folders
// are chosen on the next page.
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/syncs.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::console {
namespace {

struct KindText {
  SyncKind kind;
  std::string_view word;
  Markup name, link;
};
constexpr std::array kKinds = {
    KindText{SyncKind::kMail, "imap", "Mail (IMAP)", "<a href=\"/sources/add\""},
    KindText{SyncKind::kCalendar, "caldav", "Calendar (CalDAV)", "<a href=\"/sources/add?kind=caldav\""},
    KindText{SyncKind::kContacts, "carddav", "Contacts (CardDAV)", "<a href=\"/sources/add?kind=carddav\""},
    KindText{SyncKind::kFeed, "feed", "Feed (RSS, Atom)", "<a href=\"/sources/add?kind=feed\""}};

SyncKind kind_of(std::string_view word) {
  const auto found = std::ranges::find(kKinds, word, &KindText::word);
  return found == kKinds.end() ? SyncKind::kMail : found->kind;
}

Writer kind_links(SyncKind chosen) {
  Writer out;
  out << Markup("<nav class=\"seg\" aria-label=\"Kind of account\">");
  for (const KindText& one : kKinds)
    out << one.link << (one.kind == chosen ? Markup(" aria-current=\"page\">") : Markup(">")) << one.name << Markup("</a>");
  out << Markup("</nav>");
  return out;
}

NewSync wanted_of(const pages::Form& form) {
  return {kind_of(form.one("kind")), form.one("name"),     form.one("user"),     form.one("host"),
          form.one("port"),          form.one("security"), form.one("password"), form.one("address")};
}

Writer text_field(Markup name, Markup label, Markup more, const std::string& value, Markup hint, bool is_wrong) {
  Writer out;
  out << Markup("<div class=\"field\"><label for=\"") << name << Markup("\">") << label << Markup("</label><input id=\"") << name
      << Markup("\" name=\"") << name << Markup("\" autocapitalize=\"none\" spellcheck=\"false\" ") << more
      << (is_wrong ? Markup(" class=\"input input-bad\" aria-invalid=\"true\"") : Markup(" class=\"input\""))
      << Attribute("value", value) << Markup(" aria-describedby=\"") << name << Markup("-hint\"><p class=\"hint\" id=\"") << name
      << Markup("-hint\">") << hint << Markup("</p></div>");
  return out;
}

Writer security_field(const std::string& chosen) {
  Writer out;
  out << Markup(
      "<div class=\"field\"><label for=\"security\">Encryption</label><select class=\"input\" id=\"security\" "
      "name=\"security\">");
  const auto option = [&](std::string_view value, Markup label) {
    out << Markup("<option") << Attribute("value", value) << (value == chosen ? Markup(" selected>") : Markup(">")) << label
        << Markup("</option>");
  };
  option("tls", "TLS");
  option("starttls", "STARTTLS");
  option("plain", "None (this computer only)");
  out << Markup("</select></div>");
  return out;
}

Writer server_fields(const NewSync& wanted, const std::string& wrong) {
  Writer out;
  out << Markup("<div class=\"grid-host\">")
      << text_field("host", "Server", "", wanted.host, "Leave empty for Gmail, iCloud, Fastmail and other large providers.",
                    wrong == "host")
      << text_field("port", "Port", "inputmode=\"numeric\"", wanted.port, "Usually 993.", wrong == "port")
      << security_field(wanted.security) << Markup("</div>");
  return out;
}

Writer account_fields(const NewSync& wanted, const std::string& wrong) {
  Writer out;
  out << Markup("<div class=\"grid-2\">")
      << text_field("user", "Email address", "required", wanted.user, "Or the user name, if your provider gave you one.",
                    wrong == "user")
      << text_field("password", "Password", "type=\"password\" required autocomplete=\"off\"", "",
                    "Use an app password if your provider offers them.", wrong == "password")
      << Markup("</div>");
  return out;
}

Writer form_of(const NewSync& wanted, const std::string& csrf, const std::string& wrong) {
  const bool is_feed = wanted.kind == SyncKind::kFeed;
  Writer out;
  out << Markup("<form class=\"card stack\" method=\"post\" action=\"/sources/add\" autocomplete=\"off\">")
      << hidden("csrf", csrf) << hidden("kind", std::ranges::find(kKinds, wanted.kind, &KindText::kind)->word);
  if (!is_feed) out << account_fields(wanted, wrong);
  if (wanted.kind == SyncKind::kMail) {
    out << server_fields(wanted, wrong);
  } else if (is_feed) {
    out << text_field("address", "Address of the feed", "required inputmode=\"url\"", wanted.address,
                      "It starts with https:// and often ends with feed, rss or .xml. The page of a site has a link to it.",
                      wrong == "address" || wrong == "--url");
  } else {
    out << text_field("address", "Server", "required inputmode=\"url\"", wanted.address,
                      "Its name, or an address that starts with https://. For iCloud: caldav.icloud.com or contacts.icloud.com.",
                      wrong == "address" || wrong == "--url");
  }
  out << text_field("name", "Name in Ladder", "", wanted.name,
                    "Small letters, digits, dots and dashes, for example work. Leave empty to use the provider's name.",
                    wrong == "name")
      << Markup("<ul class=\"testlist hint\"><li>") << icon(Icon::kLock)
      << (is_feed ? Markup("<span>The feed's server sees the address of this computer, as with any page. Addresses in your own "
                           "network can be added only in a terminal.</span></li></ul>")
                  : Markup("<span>The password is stored encrypted on this computer and is only sent to this "
                           "server.</span></li></ul>"))
      << Markup(
             "<div class=\"row\"><button "
             "class=\"btn btn-act\">Test and continue</button><a class=\"btn\" href=\"/sources\">Cancel</a></div></form>");
  return out;
}

}  // namespace

Result<http::Response> Console::add_sync(Visit& visit) {
  if (about_.syncs == nullptr) return fail(Code::kNotFound, "this server syncs no sources");
  if (!about_.syncs->may_add(*visit.owner))
    return fail(Code::kPermission, "only the owner who runs this server can add sources here; use `ladder sync add`");
  NewSync wanted;
  wanted.kind = kind_of(visit.form.one("kind"));
  // An account makes the server connect to an address and fills the store, so an old session must not add one. The form asks for
  // a password, so the question comes before it is filled in.
  if (gate_.has_to_sign_in_again(visit)) {
    const std::string_view kind = std::ranges::find(kKinds, wanted.kind, &KindText::kind)->word;
    return pages::Gate::sign_in_again(Url::path("/sources/add").with("kind", kind).text());
  }
  std::optional<Error> problem;
  if (visit.is_post) {
    wanted = wanted_of(visit.form);
    auto added = about_.syncs->add(*visit.owner, wanted);
    if (added) return pages::redirect_to("/sources/sync?name=" + Url::encoded(*added) + "&test=1");
    problem = std::move(added).error();
  }
  pages::Frame frame = visit.frame;
  frame.title = "Add an account";
  Writer main;
  main << Markup(
      "<div><p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <span>Add an account</span></p><div "
      "class=\"page-head\"><div><h1>Add an account</h1><p class=\"lead\">Ladder copies your mail, calendars, contacts or feeds "
      "here and "
      "keeps the copy current. It never changes anything in the account.</p></div></div></div>");
  if (problem) {
    main << Markup("<div class=\"notice notice-bad\" role=\"alert\">") << icon(Icon::kWarn) << Markup("<div class=\"stack-2\">")
         << sign_in_problem(*problem) << Markup("</div></div>");
  }
  main << kind_links(wanted.kind) << form_of(wanted, visit.csrf(), problem ? problem->param : "")
       << Markup("<p class=\"small quiet\">In a terminal: <code>ladder sync add ")
       << (wanted.kind == SyncKind::kFeed ? Markup("feed NAME --url") : Markup("imap NAME --user"))
       << Markup(" ADDRESS</code></p>\n");
  return pages::page(problem ? 422 : 200, frame, main);
}

}  // namespace ladder::console
