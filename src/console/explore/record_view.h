// A record on its page: what the owner has of it, and what the viewer gets. The first tells which fields there are, the second
// what is shown of them.
#pragma once

#include "console/explore/viewer.h"
#include "http/message/message.h"
#include "json/scan/scan.h"
#include "pages/form.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct RecordView {
  server::ResourceServer& server;
  const server::Access& owner;
  const Viewer& viewer;
  ClientFaces& faces;
  const ShownStreams& streams;  // of the owner
  const ShownStream& stream;    // of the record, as the owner sees it
  api::Record own;
  std::optional<api::Record> shown = {};  // as the viewer gets it; nothing when the viewer gets nothing of it
  std::string q = {};                     // the words that led here
  bool paints_pages = false;              // pages of documents can be shown as pictures
  Instant now = 0;

  const model::RecordRef& ref() const { return own.ref; }
  html::Url address() const;  // of this page, as the same viewer
  html::Url address_of(const model::RecordRef& record) const;
  bool gets(std::string_view field) const;  // the viewer gets this field of it
};

// The field and the part of it that is read.
struct Reading {
  std::string field;  // empty: the record's text
  std::string cursor;
  std::optional<std::int64_t> page = {};  // of a document

  static Reading of(const pages::Form& form);
};

html::Writer withheld(std::string_view what);

html::Writer record_facts(const RecordView& view);
// How many pages of the record's document can be shown as pictures; 0: it is none, or the viewer does not get its file.
std::int64_t page_count(const RecordView& view);
// Of a PDF document the page that is read, as a picture, with the way to the others. Empty of any other record.
html::Writer record_page(const RecordView& view, const Reading& reading);
// The text of the record, or the field that is asked for, one window at a time.
Result<html::Writer> record_text(const RecordView& view, const Reading& reading);
// True of a value that lists the pages of a document: which chars of its text each of them has.
bool lists_pages(const json::Value& value);
Result<html::Writer> record_files(const RecordView& view);
// Beside it: the conversation it is part of, what belongs to it, who saw it.
Result<html::Writer> record_conversation(const RecordView& view);
Result<html::Writer> record_related(const RecordView& view);
Result<html::Writer> record_seen(const RecordView& view);

// A file that a record holds.
struct RecordFile {
  model::RecordRef record;
  std::string name, mime_type, blob_id;
  std::int64_t size_bytes = -1;
  bool has_text = false;  // its record has the text of it
};
std::optional<RecordFile> file_of(const api::Record& record, const ShownStream& stream);
bool is_picture(std::string_view mime_type);  // of the few types that are shown in place
// The file of the record of that id, as far as the viewer gets it. kBlobNotFound when it holds none.
Result<RecordFile> named_file(server::ResourceServer& server, const Viewer& viewer, std::string_view record_id);
// For every answer that has bytes of a file: nothing in it runs, and nobody keeps it.
void guard_file(http::Headers& headers);

}  // namespace ladder::console
