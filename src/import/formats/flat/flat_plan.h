// A flat export as data: its streams and fields, from which the declaration is made, and its files with the columns or members
// that become the fields. Each export has a file NAME.json in this folder; docs/inside/importers.md describes the members.
#pragma once

#include "base/error/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports::flat {

enum class FieldType : std::uint8_t { kText, kPerson, kUrl, kInteger, kNumber, kBoolean, kTime, kDate, kList };

struct FieldPlan {
  std::string name, title, about, level, role, belongs_to;
  FieldType type = FieldType::kText;
  bool search = false, group = false, copies = false, markdown = false;
};

struct StreamPlan {
  std::string name, label, detail, about;
  std::string time;  // the field with the time of a record; "" if the export has none
  std::vector<FieldPlan> fields;
};

// Describes the source of a field's value. A path names a column of a table, or members of JSON: "author/name", "urls/*/url" for
// all elements of an array, "/guild/name" from the root of the element, "@channel.json/name" from a file in the same folder,
// "#folder" for the name of the folder.
struct ValuePlan {
  std::vector<std::string> from;  // the first one with a value
  std::vector<std::string> all;   // or all of them, joined
  std::string join = ", ";
  std::string value;                                       // or this text
  std::string date;                                        // "DMY", "MDY" or "auto", which decides for the whole file
  std::string zone;                                        // a path to the time zone of a time that has none
  char decimal = '.';                                      // of numbers
  bool html = false;                                       // decode the entities of HTML, and drop its tags
  bool pieces = false;                                     // the text is a list of JSON objects with a text each
  bool clock = false;                                      // hh:mm:ss as seconds
  bool tail = false;                                       // only what follows the last slash
  bool negate = false;                                     // change the sign of a number
  std::vector<std::pair<std::string, std::string>> cases;  // text in the value → result; nothing if none fits
};

struct FilePlan {
  enum class Kind : std::uint8_t { kCsv, kJson, kJs, kLines };
  std::string stream, account;
  Kind kind = Kind::kCsv;
  std::vector<std::string> paths;  // patterns for the path in lower case with a slash in front
  std::vector<std::string> has;    // texts at the beginning of the file; of a table, columns
  std::string each;                // a path to the records in an element; "" if the element is the record
  std::vector<std::string> id;     // paths of the id, the first one with a value
  std::vector<std::string> id_more;
  std::string id_prefix;
  std::vector<std::string> key;   // without an id: the values that identify a record, and their number among equal ones
  std::string key_alone;          // one of them that identifies it alone, if it is not empty
  std::string skip, skip_reason;  // records with a value there are left out
  std::vector<std::pair<std::string, ValuePlan>> fields;  // by field name
};

struct FlatPlan {
  std::string format, name, version, what, summary;
  struct Level {
    std::string id, label, detail;
  };
  std::vector<Level> levels;
  std::vector<StreamPlan> streams;
  std::vector<FilePlan> files;

  const StreamPlan* stream(std::string_view wanted) const;
};

// Reads a data file. kInvalidRequest names the member that is wrong.
Result<FlatPlan> read_flat_plan(std::string_view json);

// Makes the source declaration.
std::string declaration_of(const FlatPlan& plan);

}  // namespace ladder::imports::flat
