#include "import_files.h"

#include "base/text/utf8.h"
#include "frame.h"
#include "import/charset/encoding.h"
#include "import/charset/read_text.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <utility>

namespace ladder::fuzz {
namespace {

// Offsets in such a file are counted in UTF-8: three bytes for an unpaired surrogate or an invalid character.
bool is_fully_decoded(std::string_view bytes) { return imports::is_wide(bytes) || imports::charset::has_escapes(bytes); }

using imports::testing::CollectingSink;

constexpr std::size_t kMaxNameBytes = 200;

void check_places(const CollectingSink& sink, std::int64_t size) {
  for (const auto& each : sink.records) FUZZ_CHECK(each.at.byte >= -1 && each.at.byte <= size);
  for (const imports::Refusal& each : sink.losses) {
    FUZZ_CHECK(each.place.byte >= -1 && each.place.byte <= size);
    FUZZ_CHECK(!each.reason.empty() && utf8::is_valid(each.reason));
  }
}

void check_equal(const CollectingSink& rest, const CollectingSink& whole, std::size_t from) {
  FUZZ_CHECK(rest.records.size() + from == whole.records.size());
  for (std::size_t i = 0; i < rest.records.size(); ++i) {
    FUZZ_CHECK(rest.records[i].data == whole.records[from + i].data && rest.records[i].stream == whole.records[from + i].stream);
    FUZZ_CHECK(rest.records[i].at.byte == whole.records[from + i].at.byte);
  }
}

}  // namespace

FormatCheck::FormatCheck(const imports::Format& format) : format_(format) {
  const auto text = format.declaration({});
  FUZZ_CHECK(text.has_value());
  auto declaration = model::parse_declaration(*text);
  FUZZ_CHECK(declaration.has_value());
  declaration_ = std::make_shared<const model::SourceDeclaration>(*std::move(declaration));
}

void FormatCheck::run(std::string name, std::string_view bytes) const {
  if (name.size() > kMaxNameBytes || !utf8::is_valid(name)) return;
  imports::testing::MemoryTree tree({{std::move(name), std::string(bytes)}});
  for (const imports::Unit& unit : format_.detect(tree, {})) {
    CollectingSink sink;
    sink.declared = declaration_;
    FUZZ_CHECK(format_.read(tree, unit, {}, "", sink).has_value());
    FUZZ_CHECK(sink.faults.empty());
    // Offsets in UTF-16 text are counted in UTF-8, where a character may take three bytes.
    check_places(sink, static_cast<std::int64_t>(bytes.size() * (is_fully_decoded(bytes) ? 3 : 1)));
    CollectingSink again;
    FUZZ_CHECK(format_.read(tree, unit, {}, "", again).has_value());
    check_equal(again, sink, 0);
    for (const auto& [position, before] : sink.checkpoints) {
      CollectingSink rest;
      FUZZ_CHECK(format_.read(tree, unit, {}, position, rest).has_value());
      check_equal(rest, sink, before);
    }
  }
}

}  // namespace ladder::fuzz
