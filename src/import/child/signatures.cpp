#include "import/child/signatures.h"

#include "base/text/format.h"
#include "import/text/text.h"
#include "import/tree/path_pattern.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr auto kRead = Signature::Kind::kRead;
constexpr auto kNever = Signature::Kind::kNever;
constexpr auto kUnread = Signature::Kind::kUnread;
constexpr std::string_view kSqlite = "SQLite format 3";
constexpr std::string_view kWait = "keep the file and import it with a later version";
constexpr std::string_view kAskForJson = "request the export again with the format JSON to get messages with authors and dates";

// The first match wins, so a special case precedes a general one.
constexpr std::array kSignatures = {
    // Chats
    Signature{"a Telegram export in HTML", "*/chatexport_*/messages*.html", {}, kRead, kAskForJson},
    Signature{"a Telegram export in HTML", "*/dataexport_*/chats/*/messages*.html", {}, kRead, kAskForJson},
    Signature{"a Signal export", "*/main.jsonl", {"backupTimeMs"}, kUnread, kWait},
    Signature{"an encrypted Signal backup for Android",
              "*/signal-*.backup",
              {},
              kUnread,
              "in Signal, export the chats as plain text instead"},
    Signature{
        "an encrypted Signal backup", "*/signalbackups/*/main", {}, kUnread, "in Signal, export the chats as plain text instead"},
    Signature{"the encrypted database of Signal Desktop",
              "*/sql/db.sqlite",
              {},
              kUnread,
              "in Signal, export the chats as plain text instead"},
    Signature{"an encrypted WhatsApp backup",
              "*/msgstore*.crypt*",
              {},
              kUnread,
              "open the chat in WhatsApp, choose Export chat, and import that file"},
    Signature{"the database of WhatsApp",
              "*/msgstore.db",
              {},
              kUnread,
              "open the chat in WhatsApp, choose Export chat, and import that file"},
    Signature{"a backup of an iPhone or iPad", "*/manifest.db", {kSqlite}, kUnread, kWait},
    Signature{"an Instagram export", "*/your_instagram_activity/*.json", {}, kUnread, kWait},
    Signature{"a Facebook export", "*/your_facebook_activity/*.json", {}, kUnread, kWait},
    Signature{"an Instagram export in HTML", "*/your_instagram_activity/*.html", {}, kRead, kAskForJson},
    Signature{"a Facebook export in HTML", "*/your_facebook_activity/*.html", {}, kRead, kAskForJson},
    Signature{"a Facebook export in HTML", "*/messages/inbox/*/message_*.html", {}, kRead, kAskForJson},
    Signature{"a Skype export", "*/messages.json", {"\"exportDate\"", "\"conversations\""}, kUnread, kWait},
    Signature{"a Google Chat export", "*/groups/*/messages.json", {"\"creator\""}, kUnread, kWait},
    Signature{"a Google Chat export", "*/groups/*/group_info.json", {"\"members\""}, kUnread, kWait},
    Signature{"a Google Hangouts export", "*/hangouts*.json", {"\"conversations\""}, kUnread, kWait},
    Signature{"a Snapchat export", "*/json/chat_history.json", {}, kUnread, kWait},
    Signature{"a Snapchat export", "*/json/*_history.json", {}, kUnread, kWait},
    Signature{"a TikTok export", "*/user_data*.json", {"\"Activity\""}, kUnread, kWait},
    Signature{"a backup of text messages (SMS Backup & Restore)", "*.xml", {"<smses"}, kUnread, kWait},
    Signature{"a Mastodon export", "*/outbox.json", {"\"orderedItems\""}, kUnread, kWait},
    Signature{"a Bluesky repository", "*.car", {}, kUnread, kWait},
    // Google
    Signature{"your Google activity in HTML",
              "*/my*activity.html",
              {},
              kRead,
              "request the export again and choose JSON for My Activity to get every entry with its date"},
    Signature{"your YouTube history in HTML",
              "*/watch-history.html",
              {},
              kRead,
              "request the export again and choose JSON for the history of YouTube to get every video with its date"},
    Signature{"your YouTube history in HTML",
              "*/search-history.html",
              {},
              kRead,
              "request the export again and choose JSON for the history of YouTube to get every search with its date"},
    Signature{"the settings of a Google timeline that is stored only on your phone",
              "*/timeline edits.json",
              {},
              kUnread,
              "export the timeline on the phone, in the settings of Google Maps"},
    Signature{"details of a photo in Google Photos", "*.json", {"\"photoTakenTime\""}, kUnread, kWait},
    Signature{"a Google Fit export", "*/fit/*.json", {"\"fitnessActivity\""}, kUnread, kWait},
    // Browsers
    Signature{"a backup of Firefox's bookmarks", "*.jsonlz4", {}, kUnread, "in Firefox, export the bookmarks as HTML"},
    // Notes, tasks, documents
    Signature{"the inner archive of a Notion export",
              "*/export-*.zip",
              {},
              kUnread,
              "unpack the outer archive and import the archives in it"},
    Signature{"the database of Apple Notes",
              "*/notestore.sqlite*",
              {},
              kUnread,
              "request a copy of your data from Apple, or export the notes as Markdown; Ladder reads both"},
    Signature{"a Joplin export", "*.jex", {}, kUnread, "in Joplin, export as Markdown with front matter"},
    Signature{"a Day One journal", "*/journal.json", {"\"entries\"", "\"metadata\""}, kUnread, kWait},
    Signature{"a Trello board", "*.json", {"\"idBoard\"", "\"desc\""}, kUnread, kWait},
    Signature{"a Word document of an old version", "*.doc", {}, kUnread, "save it as PDF, which Ladder reads"},
    Signature{"an Excel workbook of an old version", "*.xls", {}, kUnread, "save it as CSV, and run ladder source infer on that"},
    // Mail
    Signature{"an Outlook mailbox", "*.pst", {}, kUnread, "install libpff (apt install libpff1), and import it again"},
    Signature{"an offline copy of an Outlook mailbox",
              "*.ost",
              {},
              kUnread,
              "install libpff (apt install libpff1) and import it again, or use ladder sync with the account"},
    Signature{"a mailbox of Outlook for Mac", "*.olm", {}, kUnread, "drag the folder out of Outlook to get an mbox file"},
    Signature{"a message saved by Outlook", "*.msg", {}, kUnread, "save it as .eml"},
    Signature{"an index of Thunderbird", "*.msf", {}, kNever, "the mail is in the file of the same name without .msf"},
    // Money
    Signature{"your Amazon orders", "*/retail.orderhistory*.csv", {}, kUnread, "ladder source infer FILE proposes a declaration"},
    // Health, sports, places
    Signature{"a clinical document of Apple Health", "*/export_cda.xml", {}, kNever, "the same data is in export.xml"},
    Signature{"a GPS track (TCX)", "*.tcx", {}, kUnread, kWait},
    Signature{"a recording of a sports watch", "*.fit", {}, kUnread, kWait},
    Signature{"places (KML)", "*.kml", {}, kUnread, kWait},
    Signature{"places (KML)", "*.kmz", {}, kUnread, kWait},
    Signature{"a Fitbit export", "*/fitbit/*", {}, kUnread, kWait},
    Signature{"a Garmin export", "*/di_connect/*", {}, kUnread, kWait},
    Signature{"your Strava activities",
              "*/activities.csv",
              {"Activity ID", "Activity Date"},
              kUnread,
              "ladder source infer FILE proposes a declaration"},
    // Reading and watching
    Signature{"your Goodreads library", "*/goodreads*.csv", {}, kUnread, "ladder source infer FILE proposes a declaration"},
    Signature{"a Letterboxd export", "*.csv", {"Letterboxd URI"}, kUnread, "ladder source infer FILE proposes a declaration"},
    Signature{"notes of a Kindle", "*/my clippings.txt", {}, kRead, "every highlight is in the text of the note"},
    // Secrets, which no app should read
    Signature{"a password database (KeePass)", "*.kdbx", {}, kNever, "Ladder stores no passwords"},
    Signature{"exported passwords (1Password)", "*.1pux", {}, kNever, "Ladder stores no passwords; delete the file"},
    Signature{"exported passwords (Bitwarden)",
              "*.json",
              {"\"encrypted\"", "\"folders\""},
              kNever,
              "Ladder stores no passwords; delete the file if it is not encrypted"},
    Signature{
        "saved passwords of a browser", "*passwords*.csv", {"password"}, kNever, "Ladder stores no passwords; delete the file"},
};

bool has_texts(std::string_view head, const Signature& signature) {
  return std::ranges::all_of(signature.has, [&](std::string_view text) { return head.find(text) != std::string_view::npos; });
}

}  // namespace

std::span<const Signature> all_signatures() { return kSignatures; }

const Signature* recognize(Tree& tree, EntryNo entry, bool is_claimed) {
  const std::string path = "/" + lower_ascii(tree.entries()[entry].path);
  std::string_view head;  // read once, when the first path matches
  const auto found = std::ranges::find_if(kSignatures, [&](const Signature& one) {
    if ((is_claimed && one.kind != kRead) || !matches(path, one.path)) return false;
    if (one.has.front().empty()) return true;
    if (head.empty()) head = tree.head(entry);
    return has_texts(head, one);
  });
  return found == kSignatures.end() ? nullptr : &*found;
}

std::string sentence(const Signature& signature) {
  constexpr std::array kMiddles = {"Ladder does not read it yet", "Ladder reads its pages only as notes",
                                   "Ladder does not read it, on purpose"};
  return format("This is {}. {}; {}.", signature.what, kMiddles[static_cast<std::size_t>(signature.kind)], signature.remedy);
}

}  // namespace ladder::imports
