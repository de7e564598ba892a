// The objects of a JSON file of an export, one at a time: those of a top-level array, or the one that the file is. Whatever
// cannot be read is told to the sink with its place, and the rest goes on.
#pragma once

#include "base/result.h"
#include "extract/place.h"
#include "import/salvaged_elements.h"
#include "import/sink.h"
#include "import/tree.h"
#include "json/scan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports {

struct JsonElement {
  json::Value value;     // checked; of any kind
  extract::Place at;     // of its first byte
  std::int64_t end = 0;  // of the byte behind it, in the file
  bool mended = false;   // it was not valid UTF-8: bytes were read as Windows-1252, or replaced

  extract::Place place_of(const json::Value& inside) const;  // of a part of it; its own when it was mended
};

using TakeElement = std::function<Status(const JsonElement&)>;

// Every element of the array that begins at or behind byte `from`. `kind` names one for people: "conversation". What `take` fails
// with ends the reading; damage and unreadable files do not.
Status read_elements(Tree& tree, EntryNo entry, std::string_view kind, SalvagedElements::Accepts accepts, std::int64_t from,
                     Sink& sink, const TakeElement& take);

// The same without a word about what cannot be read, for looking ahead.
Status look_at_elements(Tree& tree, EntryNo entry, SalvagedElements::Accepts accepts, const TakeElement& take);

// The file as one value.
Status read_document(Tree& tree, EntryNo entry, std::string_view kind, Sink& sink, const TakeElement& take);

// "conversations.json" and its parts "conversations-000.json", in any case of letters. `stem` is in lower case.
bool is_file_or_part(std::string_view name, std::string_view stem);

}  // namespace ladder::imports
