// Documents in a folder of notes: PDF, office files, books. A document is identified by a digest of its bytes, so moving or
// renaming it does not matter. One of several copies becomes the record and lists the others.
#pragma once

#include "import/document/document_text.h"
#include "import/formats/format.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::imports::notes {

class Documents {
 public:
  // `entries` are all documents of the unit in order; `name_of` returns an entry's name in the records.
  Documents(Tree& tree, const std::vector<EntryNo>& entries, Sink& sink, std::function<std::string_view(const Entry&)> name_of);

  Status take(EntryNo entry);

 private:
  // Returns the entries with the same bytes as this one, including itself, in order. Reads only files of the same size.
  std::vector<EntryNo> alike(EntryNo entry);
  std::string digest(EntryNo entry);  // "" if it cannot be read
  Status send(EntryNo entry, const std::vector<EntryNo>& copies);
  Result<DocumentText> read(EntryNo entry, std::string& reference);
  std::string record(const Entry& entry, const DocumentText& document, std::string_view reference,
                     const std::vector<EntryNo>& copies) const;

  Tree& tree_;
  std::unordered_map<std::int64_t, std::vector<EntryNo>> by_size_;
  Sink& sink_;
  std::function<std::string_view(const Entry&)> name_of_;
  std::unordered_map<EntryNo, std::string> digests_;
};

}  // namespace ladder::imports::notes
