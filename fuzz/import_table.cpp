// Tables: the first line of the input is the file's name (a.csv, a.tsv, a.json, a.ndjson), the rest the file. Each row
// fits the declaration or is reported as lost; a second read gives the same; a read from a checkpoint gives the rest.
#include "frame.h"
#include "import/formats/table/table_file.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <memory>

namespace ladder::fuzz {
namespace {

using imports::testing::CollectingSink;
using imports::testing::MemoryTree;

constexpr std::string_view kManifest = R"({
  "protocol_version": "0.1.0", "source": {"kind": "connector", "id": "urn:ladder:table:a"}, "declaration_version": "1",
  "publisher": {"id": "urn:ladder:table"}, "display": {"name": "a"},
  "streams": [{"name": "a", "semantics": "mutable_state", "primary_key": ["row"], "consent_time_field": "at",
    "selection": {"fields": true, "resources": true},
    "schema": {"type": "object", "required": ["row"], "properties": {
      "row": {"type": "string", "x_ladder_column": "#digest"}, "at": {"type": ["string", "null"], "format": "date-time", "x_ladder_date": "DMY"},
      "n": {"type": ["number", "null"], "x_ladder_decimal": ","}, "i": {"type": ["integer", "null"]},
      "yes": {"type": ["boolean", "null"]}, "text": {"type": ["string", "null"]}}}}]
})";

}  // namespace

void run(std::string_view input) {
  const std::string_view given = take_line(input);
  const bool known = given == "a.csv" || given == "a.tsv" || given == "a.json" || given == "a.ndjson";
  const std::string name(known ? given : "a.csv");
  MemoryTree tree(imports::testing::Files{{name, std::string(input)}});
  imports::Request request;
  request.manifest = kManifest;
  // Objects are passed on unchanged, and only the store validates them: without a declaration only their form is
  // checked.
  const bool cells = imports::table_layout(tree, 0) == imports::TableLayout::kCells;
  static const auto declaration = std::make_shared<const model::SourceDeclaration>(model::parse_declaration(kManifest).value());
  CollectingSink once, again;
  if (cells) once.declared = declaration;
  const auto units = imports::table_format().detect(tree, request);
  FUZZ_CHECK(units.size() == 1);
  FUZZ_CHECK(imports::table_format().read(tree, units[0], request, "", once));
  FUZZ_CHECK(imports::table_format().read(tree, units[0], request, "", again));
  FUZZ_CHECK(once.faults.empty());
  FUZZ_CHECK(once.records.size() == again.records.size());
  for (std::size_t i = 0; i < once.records.size(); ++i) {
    FUZZ_CHECK(once.records[i].data == again.records[i].data);
    FUZZ_CHECK(once.records[i].data.find('\n') == std::string::npos);
  }
  for (const auto& [position, before] : once.checkpoints) {
    CollectingSink rest;
    FUZZ_CHECK(imports::table_format().read(tree, units[0], request, position, rest));
    FUZZ_CHECK(rest.records.size() + before <= once.records.size());
  }
}

}  // namespace ladder::fuzz
