// Makes records from the rows of a file.
#pragma once

#include "import/formats/flat/flat_plan.h"
#include "import/formats/flat/flat_rows.h"
#include "import/formats/flat/flat_value.h"
#include "import/formats/record_members.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ladder::imports::flat {

struct MadeRecord {
  std::string data;                 // "" if the row is left out or unreadable
  std::string skipped;              // why it was left out on purpose
  std::string lost;                 // why it cannot be read
  std::optional<Instant> time;      // of the record
  std::vector<std::string> unread;  // values that could not be read; the record has all others
};

class RecordMaker {
 public:
  // Reads ahead through the file if the order of its dates is not known.
  RecordMaker(Tree& tree, EntryNo entry, const StreamPlan& stream, const FilePlan& file);

  // Must be called for every row of the file, in order: rows without an id are counted among equal ones.
  MadeRecord make(const FlatRow& row);
  bool has_ambiguous_dates() const { return ambiguous_; }

 private:
  std::vector<std::string> values(const FlatRow& row, std::string_view path) const;
  std::string text(const FlatRow& row, const ValuePlan& plan) const;
  std::string id_of(const FlatRow& row);
  void find_date_order();

  Tree& tree_;
  EntryNo entry_;
  const StreamPlan& stream_;
  const FilePlan& file_;
  mutable Surroundings surroundings_;
  std::vector<std::pair<const FieldPlan*, const ValuePlan*>> fields_;  // in the order of the stream
  std::string order_;
  bool ambiguous_ = false;
  DerivedIds ids_;
  ColumnZone zone_;
};

}  // namespace ladder::imports::flat
