// What a mailbox is to Ladder: messages, what is attached to them, and the folders they lie in.
#include "import/formats/mail_records.h"

namespace ladder::imports::mail {

const char* mail_declaration() {
  return R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:mail"},
  "declaration_version": "1",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "Mail"},
  "selection_presets": [
    {"id": "headers", "label": "Who wrote to whom and when, without what they wrote", "streams": [{"name": "messages", "view": "headers"}]},
    {"id": "all", "label": "All mail with attachments", "streams": [{"name": "messages"}, {"name": "attachments"}, {"name": "filings"}]}],
  "streams": [
    {"name": "messages", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "One record per e-mail message.",
     "display": {"label": "Your e-mail messages", "detail": "Who wrote what to whom and when: addresses, subjects, labels and the full text of your mail."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id", "thread_id", "attachment_count"], "properties": {
       "id": {"type": "string", "description": "A digest of the message: the same message has the same id in every export"},
       "message_id": {"type": "string", "description": "The Message-ID header, without angle brackets"},
       "thread_id": {"type": "string", "description": "The conversation: Gmail's, else the first message that this one answers"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_role": "event-time", "description": "When it was sent; absent when the message has no date or one that cannot be right"},
       "date_text": {"type": "string", "description": "The date as written, when it cannot be right"},
       "from": {"type": "string", "x_pdpp_role": "actor", "description": "Who wrote it: name and address"},
       "from_address": {"type": "string", "description": "The sender's address in lower case"},
       "to": {"type": "string", "description": "To whom: names and addresses"},
       "cc": {"type": "string", "description": "Who got a copy"},
       "bcc": {"type": "string", "description": "Who got a hidden copy"},
       "reply_to": {"type": "string", "description": "Where answers go"},
       "recipients": {"type": "array", "items": {"type": "string"}, "description": "The addresses of everybody it went to, in lower case"},
       "subject": {"type": "string", "x_pdpp_role": "primary-title", "description": "The subject line"},
       "labels": {"type": "array", "items": {"type": "string"}, "description": "Gmail's labels"},
       "label_names": {"type": "string", "description": "The same as one text"},
       "in_reply_to": {"type": "string", "description": "The Message-ID that it answers"},
       "references": {"type": "array", "items": {"type": "string"}, "description": "The Message-IDs of the conversation before it"},
       "list_id": {"type": "string", "description": "The mailing list it came through"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What it says: the plain text, or the HTML made into text"},
       "html": {"type": "string", "x_pdpp_type": "html", "description": "The HTML of the message, as it came"},
       "links": {"type": "array", "items": {"type": "string"}, "description": "Where the links of a message that is HTML alone lead"},
       "attachment_count": {"type": "integer", "description": "How many files are attached"},
       "attachment_names": {"type": "array", "items": {"type": "string"}, "description": "Their names, or what they are"},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What could not be kept of it"}}},
     "views": [{"id": "headers", "label": "Without the text", "fields": ["id", "message_id", "thread_id", "sent_at", "from", "from_address", "to", "cc", "recipients", "subject", "labels", "attachment_count"]}],
     "relationships": [{"name": "attachments", "stream": "attachments", "foreign_key": "message", "cardinality": "has_many"},
                       {"name": "filings", "stream": "filings", "foreign_key": "message", "cardinality": "has_many"}],
     "query": {"search": {"lexical_fields": ["subject", "text", "from", "to", "cc", "label_names"]},
               "range_filters": {"sent_at": ["gte", "gt", "lte", "lt"], "attachment_count": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "count_distinct": ["thread_id", "from_address"], "group_by": ["from_address", "thread_id", "list_id"],
                                "group_by_time": ["sent_at"], "min": ["sent_at"], "max": ["sent_at"]},
               "expand": [{"name": "attachments", "default_limit": 10, "max_limit": 100}, {"name": "filings", "default_limit": 10, "max_limit": 100}]}},
    {"name": "attachments", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "One record per file that is attached to a message, and per message inside a message.",
     "display": {"label": "Files attached to your mail", "detail": "The files themselves, their names, and the text of those that hold text."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id", "message", "number", "mime_type", "size_bytes"], "properties": {
       "id": {"type": "string"},
       "message": {"type": "string", "description": "The id of the message it is attached to"},
       "number": {"type": "integer", "description": "Its place among the attachments of the message, from 1"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_role": "event-time", "description": "When the message was sent"},
       "file_name": {"type": "string", "x_pdpp_role": "primary-title", "description": "The name of the file"},
       "mime_type": {"type": "string", "description": "What kind of file it is"},
       "size_bytes": {"type": "integer", "description": "How large it is"},
       "message_subject": {"type": "string", "description": "The subject of the message"},
       "from": {"type": "string", "x_pdpp_role": "actor", "description": "Who sent it"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "The text in it"},
       "text_is_cut": {"type": "boolean", "description": "There is more text in the file than is kept here"},
       "blob_ref": {"type": "object", "required": ["blob_id"], "description": "The file", "properties": {
         "blob_id": {"type": "string"}, "mime_type": {"type": "string"}, "sha256": {"type": "string"}, "size_bytes": {"type": "integer"}}}}},
     "query": {"search": {"lexical_fields": ["file_name", "text", "message_subject"]},
               "range_filters": {"sent_at": ["gte", "gt", "lte", "lt"], "size_bytes": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["mime_type"], "group_by_time": ["sent_at"], "sum": ["size_bytes"],
                                "min": ["sent_at", "size_bytes"], "max": ["sent_at", "size_bytes"]}}},
    {"name": "filings", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "In which mailboxes and folders a message lies. Gmail's messages carry labels instead.",
     "display": {"label": "The folders of your mail", "detail": "Which message lies in which folder, and whether it was read, answered or flagged."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id", "message", "folder"], "properties": {
       "id": {"type": "string"},
       "message": {"type": "string", "description": "The id of the message"},
       "folder": {"type": "string", "description": "The mailbox or folder"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_role": "event-time", "description": "When the message was sent"},
       "subject": {"type": "string", "x_pdpp_role": "primary-title", "description": "The subject of the message"},
       "read": {"type": "boolean"}, "replied": {"type": "boolean"}, "flagged": {"type": "boolean"},
       "trashed": {"type": "boolean"}, "draft": {"type": "boolean"}}},
     "query": {"range_filters": {"sent_at": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["folder", "read", "flagged"], "group_by_time": ["sent_at"]}}}
  ]
})json";
}

}  // namespace ladder::imports::mail
