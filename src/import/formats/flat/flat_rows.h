// The records of a file of a flat export, one at a time: rows of a table, or objects of JSON, with the same access to both.
#pragma once

#include "base/error/error.h"
#include "import/formats/flat/flat_plan.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"
#include "json/scan/scan.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::flat {

// A record of the file. Views are valid during the call that receives it.
class FlatRow {
 public:
  virtual ~FlatRow() = default;
  // Returns the values at a path (ValuePlan::from) as text, without empty ones; several if the path has a star.
  virtual std::vector<std::string> values(std::string_view path) const = 0;
  virtual std::string whole() const = 0;  // all of it, as text
};

// Values that are not in the file: "#folder", and members of JSON files in the same folder ("@channel.json/name").
class Surroundings {
 public:
  Surroundings(Tree& tree, EntryNo entry) : tree_(tree), entry_(entry) {}
  std::vector<std::string> values(std::string_view path);

 private:
  Tree& tree_;
  EntryNo entry_;
  std::map<std::string, std::string, std::less<>> files_;  // name → checked JSON; "" if it cannot be read
};

// Reports whether the file begins like this. `head` is its beginning as UTF-8.
bool begins_like(const FilePlan& plan, std::string_view head);

// Receives a row, and the offsets of its beginning and its end in the file.
using UseRow = std::function<Status(const FlatRow& row, std::int64_t offset, std::int64_t end)>;

// Calls `use` for every record of the file. Unreadable parts from the byte `from` on are reported to the sink.
Status each_row(Tree& tree, EntryNo entry, const FilePlan& plan, std::int64_t from, Sink& sink, const UseRow& use);

// Returns the values at a path of members below `root`, as text.
std::vector<std::string> values_at(const json::Value& root, std::string_view path);

}  // namespace ladder::imports::flat
