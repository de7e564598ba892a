#include "import/formats/contacts_declaration.h"

namespace ladder::imports::contacts {

const char* contacts_declaration() {
  return R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:contacts"},
  "declaration_version": "2",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "Contacts"},
  "streams": [
    {"name": "contacts", "semantics": "mutable_state", "primary_key": ["id"],
     "description": "One record per person, company or group of an address book.",
     "display": {"label": "Your contacts", "detail": "The people you know: names, numbers, addresses, birthdays, pictures and your notes about them."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Made from the contact's own id, or from name, addresses and numbers"},
       "uid": {"type": "string", "description": "The contact's own id in its address book"},
       "name": {"type": "string", "x_pdpp_role": "primary-title", "description": "The whole name"},
       "kind": {"type": "string", "enum": ["person", "org", "group"]},
       "given_name": {"type": "string"}, "family_name": {"type": "string"}, "additional_names": {"type": "string"},
       "prefix": {"type": "string"}, "suffix": {"type": "string"}, "nickname": {"type": "string"},
       "organization": {"type": "string", "description": "Where they work"}, "department": {"type": "string"}, "job_title": {"type": "string"},
       "emails": {"type": "array", "description": "E-mail addresses", "items": {"$ref": "#/$defs/labelled"}},
       "phones": {"type": "array", "description": "Telephone numbers", "items": {"$ref": "#/$defs/labelled"}},
       "messengers": {"type": "array", "description": "Names in messengers", "items": {"$ref": "#/$defs/labelled"}},
       "urls": {"type": "array", "description": "Web pages", "items": {"$ref": "#/$defs/labelled"}},
       "addresses": {"type": "array", "description": "Postal addresses", "items": {"type": "object", "required": ["text"], "properties": {
         "text": {"type": "string"}, "label": {"type": "string"}, "street": {"type": "string"}, "city": {"type": "string"},
         "region": {"type": "string"}, "postal_code": {"type": "string"}, "country": {"type": "string"}}}},
       "reached_by": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "All addresses and numbers as one text"},
       "birthday": {"type": "string", "description": "As written; the year may be missing"},
       "anniversary": {"type": "string"},
       "dates": {"type": "array", "description": "Other dates", "items": {"$ref": "#/$defs/labelled"}},
       "related": {"type": "array", "description": "People they belong to", "items": {"$ref": "#/$defs/labelled"}},
       "note": {"type": "string", "x_pdpp_type": "text", "description": "What you wrote about them"},
       "categories": {"type": "array", "items": {"type": "string"}},
       "members": {"type": "array", "items": {"type": "string"}, "description": "The ids of those who are in the group"},
       "updated_at": {"type": "string", "format": "date-time", "description": "When it was last changed"},
       "photo_url": {"type": "string", "description": "Where the picture is"},
       "blob_ref": {"type": "object", "required": ["blob_id"], "description": "The picture", "properties": {
         "blob_id": {"type": "string"}, "mime_type": {"type": "string"}, "sha256": {"type": "string"}, "size_bytes": {"type": "integer"}}},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What could not be read of it"}},
       "$defs": {"labelled": {"type": "object", "required": ["value"], "properties": {
         "value": {"type": "string"}, "label": {"type": "string"}, "preferred": {"type": "boolean"}}}}},
     "views": [{"id": "names", "label": "Names only", "fields": ["id", "name", "kind", "organization"]},
               {"id": "card", "label": "Names, addresses and numbers", "fields": ["id", "name", "kind", "organization", "emails", "phones", "addresses", "reached_by"]}],
     "query": {"search": {"lexical_fields": ["name", "nickname", "organization", "job_title", "reached_by", "note"]},
               "range_filters": {"updated_at": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["kind", "organization"], "group_by_time": ["updated_at"]}}}
  ]
})json";
}

}  // namespace ladder::imports::contacts
