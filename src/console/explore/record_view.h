// A record as the owner and the viewer see it. The owner's version defines the fields, the viewer's version the values that are
// shown.
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

  static Reading of(const pages::Form& form);
};

html::Writer withheld(std::string_view what);

html::Writer record_facts(const RecordView& view);
// Number of document pages that can be shown as images. 0 if the record has no document or the viewer cannot see its file.
std::int64_t page_count(const RecordView& view);
// The current PDF page as an image with navigation. Empty for other records.
html::Writer record_page(const RecordView& view, const Reading& reading);
// The text of the record or of the selected field, one window at a time.
Result<html::Writer> record_text(const RecordView& view, const Reading& reading);
// Returns true for a value that lists the pages of a document and their text ranges.
bool lists_pages(const json::Value& value);
Result<html::Writer> record_files(const RecordView& view);
// The sidebar: conversation, related records, readers.
Result<html::Writer> record_conversation(const RecordView& view);
Result<html::Writer> record_related(const RecordView& view);
Result<html::Writer> record_seen(const RecordView& view);

// A file of a record.
struct RecordFile {
  model::RecordRef record;
  std::string name, mime_type, blob_id;
  std::int64_t size_bytes = -1;
  bool has_text = false;  // the record contains its text
};
std::optional<RecordFile> file_of(const api::Record& record, const ShownStream& stream);
bool is_picture(std::string_view mime_type);  // a type that is displayed inline
// Returns the file of the record as the viewer sees it, or kBlobNotFound.
Result<RecordFile> named_file(server::ResourceServer& server, const Viewer& viewer, std::string_view record_id);
// Headers for every response with file content: no scripts, no caching.
void guard_file(http::Headers& headers);

}  // namespace ladder::console
