// A format defines how one kind of export is recognized, which source it belongs to, and how it is read. Each format
// has a folder in formats/ and a word in format_list.h; no other code names it. docs/inside/importers.md explains how to add
// one.
#pragma once

#include "base/error/error.h"
#include "import/formats/format_list.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// How certain a format is that it can read an entry. The highest claim wins, then the earlier format in the table.
enum class Confidence : int {
  kForced = 0,     // the owner chose the format (--as); only with Request::forced
  kPossible = 10,  // possible: a .txt file, a .json file of rows
  kLikely = 50,    // likely: a .md file, or a text whose first lines are chat lines
  kCertain = 90,   // certain: the format's own file names and first bytes
};

// The destination of a unit's records, if the files name it. Ladder chooses the empty members.
struct Target {
  std::string connection_id, display_name, source_key;
  bool only_source = false;  // only the declaration, without a connection
};

// A part of a tree that is read in one pass and can fail (crash, exceed a limit) without affecting other units: a
// mailbox, an export, a vault.
struct Unit {
  Confidence confidence = Confidence::kPossible;
  std::string what;          // a noun phrase for messages: "a Slack export of 12 channels"
  std::string account = {};  // distinguishes accounts of the same kind (vault or workspace name), stable across exports; "" if
                             // all may share a connection
  std::vector<EntryNo> entries;  // the files to read, in ascending order; entries[0] names the unit
  Target target = {};
  std::string part = {};    // distinguishes this unit from other multi-file units of the tree; the same in every import
  std::string hint = {};    // a sentence for the plan: how to read the files as another format
  std::string inputs = {};  // what the records depend on, apart from the files: the unit is read again if it changes
};

struct Request {
  bool forced = false;        // --as named this format: claim every readable file
  bool separate = false;      // --separate: every archive in a folder gets its own connection
  bool staged = false;        // --staged: mail that a sync fetched; the names of its folders are percent-encoded
  std::string manifest;       // --manifest: the text of the owner's declaration; "" if not given
  std::int64_t year = 0;      // the year in which occurrences of events are counted; 0: the current one
  std::string encoding = {};  // --encoding: the encoding of text without a label; "" to detect it
};

class Format {
 public:
  virtual ~Format() = default;
  virtual std::string_view name() const = 0;     // "mail": for --as, and the source's key; lower-case letters, digits and "-"
  virtual std::string_view summary() const = 0;  // one line for help: "mailboxes (mbox, Maildir), such as Gmail's Takeout"

  // Finds the parts of the tree in this format. Check paths first and call head() only if needed: detection must be
  // fast for a million entries. The result must be deterministic.
  virtual std::vector<Unit> detect(Tree& tree, const Request& request) const = 0;

  // Returns the source declaration (model/declaration/declaration.h) as JSON: the format's file declaration.json, unless the
  // format overrides this. Change its version when the declaration changes.
  virtual Result<std::string> declaration(const Request& request) const;
  // Returns the unit's declaration, if the declarations of the format differ by unit.
  virtual Result<std::string> declaration_of(Tree& /*tree*/, const Unit& /*unit*/, const Request& request) const {
    return declaration(request);
  }

  // Reads the unit from the position of an earlier checkpoint(), or from the start if it is "". Report unreadable parts
  // to the sink and continue. An error means that the rest of the unit cannot be read, or that the sink failed. Records
  // with the same key and content may be sent more than once.
  virtual Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const = 0;
};

// --- one function per format, defined in the format's folder ---
#define LADDER_FUNCTION(name) const Format& name##_format();
LADDER_EACH_FORMAT(LADDER_FUNCTION, LADDER_FUNCTION)
#undef LADDER_FUNCTION

// The position in a unit of many files: "INDEX BYTE DIGEST" is the file's index among the unit's entries, the byte
// offset in it and a digest of its path. If the digest does not match, the position belongs to another tree and the
// unit is read from the start.
struct FilePosition {
  std::size_t index = 0;  // index into unit.entries
  std::int64_t byte = 0;
};

std::string position_text(const Tree& tree, const Unit& unit, FilePosition position);
FilePosition parse_position(const Tree& tree, const Unit& unit, std::string_view text);

}  // namespace ladder::imports
