// A record as the owner and the viewer see it. The owner's version defines the fields, the viewer's version the values that are
// shown.
#pragma once

#include "console/explore/viewer.h"
#include "console/reading/matches.h"
#include "http/message/message.h"
#include "json/scan/scan.h"
#include "pages/form.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ladder::console {

struct RecordView {
  server::ResourceServer& server;
  const server::Access& owner;
  const Viewer& viewer;
  ClientFaces& faces;
  const ShownStreams& streams;  // streams of the owner
  const ShownStream& stream;    // stream of the record, as the owner sees it
  api::Record own;
  std::optional<api::Record> shown = {};  // as the viewer sees it, or nullopt
  std::string q = {};                     // the search words
  bool paints_pages = false;              // document pages can be rendered
  Instant now = 0;

  const model::RecordRef& ref() const { return own.ref; }
  html::Url address() const;  // this page for the same viewer
  html::Url address_of(const model::RecordRef& record) const;
  bool gets(std::string_view field) const;  // whether the viewer sees the field
};

// The field and position to read.
struct Reading {
  std::string field;  // empty: the text of the record
  std::string cursor;
  std::optional<std::int64_t> page = {};  // page of a document
  std::optional<std::int64_t> at = {};    // show the text around this character
  std::optional<std::int64_t> from = {};  // show the first match from this character on

  static Reading of(const pages::Form& form);
};

html::Writer withheld(std::string_view what);

// The start of a record in its look: who wrote to whom and when, the time and place of an event, the person.
struct RecordHead {
  html::Writer html;
  std::set<std::string> fields;  // shown in it, so not in the list of fields
};
RecordHead record_head(const RecordView& view, Matches& matches);
// Links a name to the page of that person.
html::Writer person_link(const RecordView& view, std::string_view name, const html::Writer& label);
// A circle with the initials of a name. `size` is empty, "avatar-s" or "avatar-l".
html::Writer avatar(std::string_view name, html::Markup size);
// The value of a field as the viewer sees it, or a gray bar.
html::Writer field_value(const RecordView& view, const std::string& name, Matches& matches);
// The other fields: those that belong to the look of the record, and under Details the rest.
struct RecordFacts {
  html::Writer main, details;
};
RecordFacts record_facts(const RecordView& view, const std::set<std::string>& shown, Matches& matches);
// A full date and time. Lists omit the time of day for old records.
std::string full_moment(Instant at, Instant now);
// Number of document pages that can be shown as images. 0 if the record has no document or the viewer cannot see its file.
std::int64_t page_count(const RecordView& view);
// The current PDF page as an image with navigation. Empty for other records.
html::Writer record_page(const RecordView& view, const Reading& reading);
// The text of the record or of the selected field, one window at a time.
struct RecordText {
  html::Writer html;
  bool complete = true;                      // the text has no other parts
  bool at_end = false;                       // a search for the next match found none
  std::optional<html::Url> next_match = {};  // searches the rest of the text
};
Result<RecordText> record_text(const RecordView& view, Reading& reading, Matches& matches);
// Returns whether the field is declared as Markdown, or the record says that its text is.
bool is_markdown(const ShownStream& stream, std::string_view data, std::string_view field);
// Numbers and links for the matches of the page. Empty without a query.
html::Writer match_bar(const RecordView& view, const Matches& matches, const RecordText& text);
// Returns true for a value that lists the pages of a document and their text ranges.
bool lists_pages(const json::Value& value);
Result<html::Writer> record_files(const RecordView& view, Matches& matches);
// A message among its neighbors in the conversation.
struct RecordChat {
  html::Writer html;
  RecordText text;  // of the message; its HTML is part of the conversation
};
Result<RecordChat> record_chat(const RecordView& view, Reading& reading, Matches& matches);
// The sidebar: conversation, related records, readers.
Result<html::Writer> record_conversation(const RecordView& view);
Result<html::Writer> record_related(const RecordView& view);
Result<html::Writer> record_seen(const RecordView& view);

// A file of a record.
struct RecordFile {
  model::RecordRef record;
  std::string name, mime_type, blob_id;
  std::int64_t size_bytes = -1;
  std::string text = {};        // the start of its text, if the record has it
  std::int64_t page_count = 0;  // of a document
};
// An integer member, or 0.
std::int64_t number_of(std::string_view data, std::string_view name);
std::optional<RecordFile> file_of(const api::Record& record, const ShownStream& stream);
bool is_picture(std::string_view mime_type);  // a type that is displayed inline
// Returns whether to display the file: the bytes match an image type, and it is small enough.
Result<bool> is_shown(const RecordView& view, const RecordFile& file);
html::Url file_address(const RecordView& view, const model::RecordRef& record);
// Returns the file of the record as the viewer sees it, or kBlobNotFound.
Result<RecordFile> named_file(server::ResourceServer& server, const Viewer& viewer, std::string_view record_id);
// Headers for every response with file content: no scripts, no caching.
void guard_file(http::Headers& headers);

}  // namespace ladder::console
