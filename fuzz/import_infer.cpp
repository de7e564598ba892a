// Runs `ladder source infer` on a file. The first line of the input is its name (a.csv, a.tsv, a.json, a.ndjson), the
// rest its bytes. The file is rejected, or gives a declaration that is accepted unchanged, is the same the second time,
// and reads the same file: every row fits, except rows with an unclosed quote, lines that are not an object, and
// objects that the store rejects for their member names.
#include "frame.h"
#include "import/formats/table/infer.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"
#include "model/envelope.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

namespace ladder::fuzz {
namespace {

namespace fs = std::filesystem;
using imports::testing::CollectingSink;
using imports::testing::MemoryTree;

// Inference opens a file by path.
const fs::path& folder() {
  static const fs::path made = [] {
    const fs::path path = fs::temp_directory_path() / ("ladder-fuzz-infer-" + std::to_string(getpid()));
    fs::create_directories(path);
    return path;
  }();
  return made;
}

}  // namespace

void run(std::string_view input) {
  const std::string_view given = take_line(input);
  const bool known = given == "a.csv" || given == "a.tsv" || given == "a.json" || given == "a.ndjson";
  const std::string name(known ? given : "a.csv");
  const fs::path file = folder() / name;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << input;
  const auto proposed = imports::infer_declaration(file.string());
  const auto again = imports::infer_declaration(file.string());
  FUZZ_CHECK(proposed.has_value() == again.has_value());
  if (!proposed) return;
  FUZZ_CHECK(*proposed == *again);
  auto declaration = model::parse_declaration(*proposed);
  FUZZ_CHECK(declaration.has_value());

  MemoryTree tree(imports::testing::Files{{name, std::string(input)}});
  imports::Request request;
  request.manifest = *proposed;
  CollectingSink sink;
  sink.declared = std::make_shared<const model::SourceDeclaration>(*std::move(declaration));
  const auto units = imports::table_format().detect(tree, request);
  FUZZ_CHECK(units.size() == 1);
  FUZZ_CHECK(imports::table_format().read(tree, units[0], request, "", sink));
  FUZZ_CHECK(!sink.records.empty());
  if (!std::ranges::all_of(sink.records, [](const auto& record) { return model::check_data_names(record.data).has_value(); }))
    return;
  FUZZ_CHECK(sink.faults.empty());
  for (const imports::Refusal& loss : sink.losses) FUZZ_CHECK(!loss.reason.starts_with("column "));
}

}  // namespace ladder::fuzz
