// What a folder of notes is to Ladder: notes, the files they show, and PDF documents.
#include "import/formats/notes_documents.h"

namespace ladder::imports::notes {

const char* notes_declaration() {
  return R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:notes"},
  "declaration_version": "3",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "Notes"},
  "streams": [
    {
      "name": "notes", "semantics": "mutable_state",
      "display": {"label": "Your notes", "detail": "The whole text of every note, with its title, folder, tags, links and date."},
      "schema": {"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string", "description": "Where the note lies in its folder."},
        "title": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "From its first lines, or its file name."},
        "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "body", "description": "What you wrote."},
        "folder": {"type": "string", "description": "The folders it is in."},
        "kind": {"type": "string", "enum": ["markdown", "text", "html"], "description": "How it was written."},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Its tags, without #."},
        "links": {"type": "array", "items": {"type": "string"}, "description": "Notes and pages it links to."},
        "embeds": {"type": "array", "items": {"type": "string"}, "description": "Pictures and files it shows."},
        "properties": {"type": "object", "description": "What stands in the block at its top."},
        "charset_guessed": {"type": "string", "description": "The character encoding that was told from the bytes, where the file names none; the text may be misread."},
        "modified_at": {"type": ["string", "null"], "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it was last changed."}}},
      "primary_key": ["path"], "cursor_field": "modified_at", "consent_time_field": "modified_at",
      "selection": {"fields": true, "resources": true},
      "views": [{"id": "titles", "label": "Titles and dates only", "fields": ["path", "title", "modified_at"]}],
      "query": {
        "range_filters": {"modified_at": ["gte", "gt", "lte", "lt"]},
        "search": {"lexical_fields": ["title", "text"]},
        "aggregations": {"count": true, "group_by": ["kind", "folder"], "group_by_time": ["modified_at"], "min": ["modified_at"], "max": ["modified_at"]}}
    },
    {
      "name": "attachments", "semantics": "mutable_state",
      "display": {"label": "Files in your notes", "detail": "Pictures and other files that your notes show."},
      "schema": {"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string", "description": "Where the file lies in its folder."},
        "name": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "Its name."},
        "blob_ref": {"type": "object", "required": ["blob_id"], "description": "The file itself.", "properties": {
          "blob_id": {"type": "string"}, "mime_type": {"type": "string"}, "sha256": {"type": "string"}, "size_bytes": {"type": "integer"}}}}},
      "primary_key": ["path"], "selection": {"fields": true, "resources": true},
      "query": {"search": {"lexical_fields": ["name"]}, "aggregations": {"count": true}}
    },
    {
      "name": "documents", "semantics": "mutable_state",
      "display": {"label": "Your PDF documents", "detail": "The PDF files among your notes: the files themselves, their whole text, and what they say of title, author and dates."},
      "schema": {"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "description": "A digest of the file: it stays when the file is moved or renamed."},
        "path": {"type": "string", "description": "Where the document lies in its folder."},
        "copies": {"type": "array", "items": {"type": "string"}, "description": "Where the same file lies as well."},
        "title": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "What the document calls itself, or its file name."},
        "folder": {"type": "string", "description": "The folders it is in."},
        "author": {"type": "string", "x_pdpp_role": "actor", "description": "Who wrote it, as the document says."},
        "subject": {"type": "string", "description": "What it is about, as the document says."},
        "keywords": {"type": "string", "description": "Its keywords, as the document says."},
        "created_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "description": "When it was made, as the document says."},
        "modified_at": {"type": ["string", "null"], "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it was last changed, as the document or else the disk says."},
        "page_count": {"type": "integer", "description": "How many pages it has; 0 when that cannot be read."},
        "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "body", "description": "The text of its pages in order. `pages` tells which page a place in it is on."},
        "pages": {"type": "array", "description": "To cite a page: the text of page `page` is the chars of `text` from `start_chars` up to `end_chars`, counted as in search hits and windows.",
          "items": {"type": "object", "properties": {"page": {"type": "integer"}, "start_chars": {"type": "integer"}, "end_chars": {"type": "integer"}}}},
        "pages_without_text": {"type": "array", "items": {"type": "integer"}, "description": "Numbers of pages that hold no text: scanned pictures, or empty."},
        "scanned": {"type": "boolean", "description": "No page holds text: what the pages show cannot be searched or read here."},
        "text_is_cut": {"type": "boolean", "description": "There is more text in the file than is kept here."},
        "text_by": {"type": "string", "description": "The program that took the text out of the file."},
        "problems": {"type": "array", "items": {"type": "string"}, "description": "What could not be read of it, and why."},
        "size_bytes": {"type": "integer", "description": "How large the file is."},
        "blob_ref": {"type": "object", "required": ["blob_id"], "description": "The file itself.", "properties": {
          "blob_id": {"type": "string"}, "mime_type": {"type": "string"}, "sha256": {"type": "string"}, "size_bytes": {"type": "integer"}}}}},
      "primary_key": ["id"], "cursor_field": "modified_at", "consent_time_field": "modified_at",
      "selection": {"fields": true, "resources": true},
      "views": [{"id": "titles", "label": "Titles, authors and dates only", "fields": ["id", "path", "title", "author", "created_at", "modified_at", "page_count"]}],
      "query": {
        "range_filters": {"modified_at": ["gte", "gt", "lte", "lt"], "created_at": ["gte", "gt", "lte", "lt"], "page_count": ["gte", "gt", "lte", "lt"]},
        "search": {"lexical_fields": ["title", "text", "author", "subject", "keywords"]},
        "aggregations": {"count": true, "group_by": ["folder", "author", "scanned"], "group_by_time": ["modified_at"], "sum": ["page_count", "size_bytes"],
                         "min": ["modified_at"], "max": ["modified_at"]}}
    }
  ]
})json";
}

}  // namespace ladder::imports::notes
