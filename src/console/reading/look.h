// How a record is displayed, derived from the roles that its source declares. Field and stream names have no meaning.
#pragma once

#include "api/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

enum class Look : std::uint8_t {
  kFacts,     // a list of fields
  kMail,      // an author, recipients and a text
  kChat,      // a message without a title of its own, in a conversation
  kDocument,  // a title and a text
  kEvent,     // a time with an end or a location
  kPerson,    // the title is a person's name
};

// Roles that only the display uses; api::DocumentRoles has the others.
inline constexpr std::string_view kRecipientRole = "recipient";     // to whom: names and addresses
inline constexpr std::string_view kEndTimeRole = "end-time";        // when an event ends
inline constexpr std::string_view kLocationRole = "location";       // where it takes place
inline constexpr std::string_view kDetailRole = "detail";           // shown with the record instead of under Details
inline constexpr std::string_view kTextFormatRole = "text-format";  // "markdown" if the text of the record is Markdown
inline constexpr std::string_view kContextRole = "context";

Look look_of(const api::StreamView& stream);

// Returns whether the records only belong to those of another stream and have no content, such as the folders of mail. Pages
// show them with the records that they belong to, and neither list nor count them.
bool only_links(const api::SourceView& source, const api::StreamView& stream);

bool has_files(const api::StreamView& stream);  // a field contains a file

// The fields with a role, in declared order.
std::vector<const api::FieldView*> fields_with_role(const api::StreamView& stream, std::string_view role);

// The title of the field for people: as declared, or made from its name.
std::string label_of(const api::FieldView& field);

// A field or stream name as a heading: "sent_at" becomes "Sent at".
std::string heading_of(std::string_view name);

}  // namespace ladder::console
