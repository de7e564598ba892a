// A format: how one kind of export is recognised, what source it is, and how it is read. One file each in formats/, one line each
// in format.cpp; nothing else in Ladder knows its name. docs/import.md tells how to add one.
#pragma once

#include "base/error/error.h"
#include "import/child/sink.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// How sure a format is that entries are its own; of several claims on an entry the surest wins, then the earlier in the list.
enum class Confidence : int {
  kAsked = 0,      // the owner said so (--as); only with Request::forced
  kPossible = 10,  // could be: a .txt file, a .json file of rows
  kLikely = 50,    // looks like it: a .md file, a text whose first lines are chat lines
  kCertain = 90,   // its own file names and first bytes
};

// The destination of a unit's records when the files themselves tell it. Empty members are for Ladder to choose.
struct Target {
  std::string connection_id, display_name, source_key;
  bool only_source = false;  // the declaration alone, without a connection
};

// A part of a tree that is read in one go, and whose loss (a crash, a limit) loses nothing else: a mailbox, an export, a vault.
struct Unit {
  Confidence confidence = Confidence::kPossible;
  std::string what;              // a plain sentence part for people: "a Slack export of 12 channels"
  std::string account = {};      // what tells two accounts of the same kind apart (a vault's or workspace's name), stable over
                                 // re-exports; "" when records of all exports may share one connection
  std::vector<EntryNo> entries;  // what it reads, ascending; entries[0] names it
  Target target = {};
  std::string part = {};  // what tells it from other units of the tree that have several files; the same in every import
  std::string hint = {};  // a sentence for the plan: how to have the files read as something else
};

struct Request {
  bool forced = false;        // --as named this format: claim whatever can be read at all
  bool separate = false;      // --separate: every archive in a folder has a connection of its own
  std::string manifest;       // --manifest: the text of the owner's declaration; "" when there is none
  std::string encoding = {};  // --encoding: what text is written in that names no encoding itself; "" to tell it from the bytes
};

class Format {
 public:
  virtual ~Format() = default;
  virtual std::string_view name() const = 0;     // "mail": for --as, and the source's key; lower-case letters, digits and "-"
  virtual std::string_view summary() const = 0;  // one line for help: "mailboxes (mbox, Maildir), such as Gmail's Takeout"

  // Finds the parts of the tree that are of this format. Looks at paths first and at head() only where needed; must be quick on a
  // million entries and give the same answer every time.
  virtual std::vector<Unit> detect(Tree& tree, const Request& request) const = 0;

  // The source declaration (model/declaration/declaration.h), JSON. Its version changes when the declaration does.
  virtual Result<std::string> declaration(const Request& request) const = 0;
  // The one of this unit, where units of the format have different ones.
  virtual Result<std::string> declaration_of(Tree& /*tree*/, const Unit& /*unit*/, const Request& request) const {
    return declaration(request);
  }

  // Reads the unit from a position that an earlier checkpoint() gave, or from its beginning ("" then). What cannot be read is
  // told to the sink and the rest goes on; an error means that nothing more of the unit can be read, or that the sink failed.
  // Records with the same key and content may be sent any number of times.
  virtual Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const = 0;
};

std::span<const Format* const> all_formats();
const Format* find_format(std::string_view name);

// --- one function per format, each in the file of its name in formats/ ---
const Format& notes_format();
const Format& mail_format();
const Format& calendar_format();
const Format& contacts_format();
const Format& whatsapp_format();
const Format& chatgpt_format();
const Format& claude_format();
const Format& slack_format();
const Format& table_format();
const Format& ladder_format();

// How far a unit of many files is read: "INDEX BYTE DIGEST", the place of a file among the unit's entries, the offset in it and a
// digest of its path. A position of another tree is seen by the digest, and the unit is read from its beginning.
struct FilePosition {
  std::size_t index = 0;  // into unit.entries
  std::int64_t byte = 0;
};

std::string position_text(const Tree& tree, const Unit& unit, FilePosition position);
FilePosition parse_position(const Tree& tree, const Unit& unit, std::string_view text);

}  // namespace ladder::imports
