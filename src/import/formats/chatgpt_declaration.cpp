#include "import/formats/chatgpt_declaration.h"

namespace ladder::imports::chatgpt {

const char* chatgpt_declaration() {
  return R"({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:chatgpt"},
  "declaration_version": "2",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "ChatGPT"},
  "selection_presets": [
    {"id": "titles", "label": "What you talked about and when, without what was said", "streams": [{"name": "conversations"}]},
    {"id": "all", "label": "All conversations with every message", "streams": [{"name": "conversations"}, {"name": "messages"}]}],
  "streams": [
    {"name": "conversations", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "updated_at", "consent_time_field": "created_at",
     "description": "One record per conversation with ChatGPT.",
     "display": {"label": "Your ChatGPT conversations", "detail": "Their titles, when they began and were last changed, and how long they are. Not what was said in them."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "ChatGPT's id of the conversation"},
       "title": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "The title"},
       "created_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it began"},
       "updated_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "description": "When it was last changed"},
       "model": {"type": "string", "description": "The model that the conversation was set to"},
       "gizmo_id": {"type": "string", "description": "The custom GPT or project it belongs to"},
       "message_count": {"type": "integer", "description": "How many messages it has, in all branches"},
       "branch_count": {"type": "integer", "description": "How many ways it took: each edited question or new answer begins another"},
       "archived": {"type": "boolean", "description": "Put away by you"},
       "starred": {"type": "boolean", "description": "Marked by you"},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What was wrong with it in the export"}}},
     "relationships": [{"name": "messages", "stream": "messages", "foreign_key": "conversation_id", "cardinality": "has_many"}],
     "query": {"search": {"lexical_fields": ["title"]},
               "range_filters": {"created_at": ["gte", "gt", "lte", "lt"], "updated_at": ["gte", "gt", "lte", "lt"], "message_count": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["model", "archived", "gizmo_id"], "group_by_time": ["created_at", "updated_at"],
                                "sum": ["message_count"], "min": ["created_at", "updated_at", "message_count"], "max": ["created_at", "updated_at", "message_count"]},
               "expand": [{"name": "messages", "default_limit": 20, "max_limit": 100}]}},
    {"name": "messages", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "One record per message of a conversation: yours, ChatGPT's, and what its tools gave back. Messages of branches that were left behind are kept and marked.",
     "display": {"label": "What you and ChatGPT wrote", "detail": "Your questions, the answers, code, and what tools returned, word for word. Pictures are named, not included."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Made from the conversation's id and the message's"},
       "conversation_id": {"type": "string", "description": "The id of the conversation"},
       "conversation": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "The conversation's title"},
       "message_id": {"type": "string", "description": "ChatGPT's id of the message"},
       "role": {"type": "string", "x_pdpp_type": "person", "x_pdpp_role": "actor", "description": "Who wrote it: user, assistant, system or tool"},
       "author_name": {"type": "string", "description": "The name of the tool"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When; absent when the export does not say"},
       "branch": {"type": "string", "enum": ["current", "other"], "description": "current: as you last saw the conversation; other: left behind by an edit or a new answer"},
       "number": {"type": "integer", "description": "Its place in its branch, from 1"},
       "answers": {"type": "string", "description": "The message_id of the message before it"},
       "leaves_at": {"type": "string", "description": "Of other branches: the message_id of the last message they share with the current one"},
       "content_type": {"type": "string", "description": "text, code, multimodal_text, execution_output and others, as the export names them"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What it says"},
       "language": {"type": "string", "description": "The programming language of code"},
       "url": {"type": "string", "x_pdpp_type": "url", "description": "The page that is quoted"},
       "model": {"type": "string", "description": "The model that wrote it"},
       "recipient": {"type": "string", "description": "The tool that it speaks to"},
       "hidden": {"type": "boolean", "description": "Not shown in ChatGPT's own window"},
       "attachments": {"type": "array", "items": {"type": "string"}, "description": "Names of files and pictures"},
       "content": {"type": "object", "description": "The content as the export has it, where its kind is not known"}}},
     "views": [{"id": "who_and_when", "label": "Who wrote when, without the text", "fields": ["id", "conversation_id", "role", "sent_at", "branch", "number", "content_type", "model"]}],
     "relationships": [{"name": "conversation", "stream": "conversations", "foreign_key": "conversation_id", "cardinality": "has_one"}],
     "query": {"search": {"lexical_fields": ["text", "conversation"]},
               "range_filters": {"sent_at": ["gte", "gt", "lte", "lt"], "number": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "count_distinct": ["conversation_id"], "group_by": ["role", "model", "content_type", "branch", "conversation_id", "language", "author_name"],
                                "group_by_time": ["sent_at"], "min": ["sent_at"], "max": ["sent_at"]},
               "expand": [{"name": "conversation"}]}}
  ]
})";
}

}  // namespace ladder::imports::chatgpt
