// The key of a record as the importer sends it.
#pragma once

#include "import/wire/messages.h"

#include <string>
#include <string_view>

namespace ladder::app {

// Returns the key: the text of the first member, which the built-in formats name "id" or "path". Empty if it has another form, as
// in tables with keys of their own.
std::string record_key(const imports::wire::RecordHeader& head, std::string_view data);

}  // namespace ladder::app
