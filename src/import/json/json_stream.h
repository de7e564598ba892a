// Walks through a JSON file of any size. The caller decides for every value whether to look inside it, to take it, or to pass it;
// only taken values are in memory.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"
#include "json/scan/scan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

enum class JsonWalk : std::uint8_t { kEnter, kTake, kSkip };

// The names of the members around a value and its own; "" for an element of an array.
using JsonPath = std::vector<std::string>;

struct JsonHandler {
  std::function<JsonWalk(const JsonPath&)> decide;  // kEnter takes effect for objects and arrays
  std::function<Status(const JsonPath&, const json::Value&, std::int64_t offset)> take;
  // A taken value that is not valid JSON. Return a repaired text, or "" to report it as lost.
  std::function<std::string(std::string_view)> repair = {};
  std::function<Status(const JsonPath&)> leave = {};  // the end of an object or array that was entered
};

// Reads the file and reports to `sink` what cannot be read: `kind` names a value in messages, "message". An error of `take` ends
// the reading.
Status stream_json(Bytes& bytes, const std::string& path, std::string_view kind, const JsonHandler& handler, Sink& sink);
Status stream_json(Tree& tree, EntryNo entry, std::string_view kind, const JsonHandler& handler, Sink& sink);

// Returns true if the path is exactly these names: {"chats", "list", "", "messages", ""}.
bool is_path(const JsonPath& path, std::initializer_list<std::string_view> names);
// Returns kEnter for the values on the way to the path, kTake at it, and kSkip for others.
JsonWalk toward(const JsonPath& path, std::initializer_list<std::string_view> names);

}  // namespace ladder::imports
