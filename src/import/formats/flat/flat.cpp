#include "import/formats/flat/flat.h"

#include "base/embedded_file.h"
#include "base/text/format.h"
#include "import/formats/flat/flat_plan.h"
#include "import/formats/flat/flat_record.h"
#include "import/formats/flat/flat_rows.h"
#include "import/io/limits.h"
#include "import/text/text.h"
#include "import/tree/path_pattern.h"
#include "import/tree/text_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#define LADDER_EACH_FLAT(use) \
  use(linkedin) use(reddit) use(x) use(discord) use(spotify) use(netflix) use(github) use(youtube) use(bank)

#define LADDER_FLAT(name) LADDER_EMBED(ladder_flat_##name, LADDER_FLAT_FORMATS "/" #name ".json")
LADDER_EACH_FLAT(LADDER_FLAT)

namespace ladder::imports {
namespace {

using flat::FilePlan;
using flat::FlatPlan;

constexpr std::int64_t kCheckpointEvery = 500;  // rows

bool has_flat_name(const Entry& entry) {
  return entry.has_extension(".csv") || entry.has_extension(".json") || entry.has_extension(".js") ||
         entry.has_extension(".jsonl") || entry.has_extension(".ndjson");
}

class FlatFormat final : public Format {
 public:
  explicit FlatFormat(FlatPlan plan) : plan_(std::move(plan)), declaration_(flat::declaration_of(plan_)) {}

  std::string_view name() const override { return plan_.format; }
  std::string_view summary() const override { return plan_.summary; }
  Result<std::string> declaration(const Request& /*request*/) const override { return declaration_; }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    if (!request.manifest.empty() && !request.forced) return {};  // the owner's own declaration is for these files
    std::map<std::string, Unit> units;                            // by account
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const FilePlan* const file = file_plan(tree, i, request.forced);
      if (!file) continue;
      Unit& unit = units[file->account];
      unit.entries.push_back(i);
      if (unit.entries.size() > 1) continue;
      unit.confidence = Confidence::kCertain;
      unit.what = file->account.empty() ? plan_.what : format("{} ({})", plan_.what, file->account);
      unit.account = unit.part = file->account;
    }
    std::vector<Unit> found;
    for (auto& [account, unit] : units) found.push_back(std::move(unit));
    return found;
  }

  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override {
    const FilePosition start = parse_position(tree, unit, position);
    for (std::size_t i = start.index; i < unit.entries.size(); ++i) {
      const FilePlan* const file = file_plan(tree, unit.entries[i], request.forced);
      if (file) LADDER_CHECK(read_file(tree, unit, i, *file, i == start.index ? start.byte : 0, sink));
    }
    return {};
  }

 private:
  const FilePlan* file_plan(Tree& tree, EntryNo entry, bool forced) const {
    const Entry& file = tree.entries()[entry];
    if (!has_flat_name(file)) return nullptr;
    const std::string path = "/" + lower_ascii(file.path);
    std::string head;
    for (const FilePlan& plan : plan_.files) {
      const auto fits = [&](const std::string& pattern) { return matches(path, pattern); };
      if (!forced && std::ranges::none_of(plan.paths, fits)) continue;
      if (head.empty()) head = text_head(tree, entry);
      if (begins_like(plan, head)) return &plan;
    }
    return nullptr;
  }

  Status read_file(Tree& tree, const Unit& unit, std::size_t index, const FilePlan& plan, std::int64_t from, Sink& sink) const {
    const EntryNo entry = unit.entries[index];
    const std::string& path = tree.entries()[entry].path;
    flat::RecordMaker maker(tree, entry, *plan_.stream(plan.stream), plan);
    if (from == 0 && maker.has_ambiguous_dates())
      LADDER_CHECK(sink.skipped(plan.stream, format("day and month may be swapped in {}: no date of it tells them apart", path)));
    std::int64_t rows = 0;
    const auto use = [&](const flat::FlatRow& row, std::int64_t offset, std::int64_t end) -> Status {
      const flat::MadeRecord made = maker.make(row);  // also before the position, to count equal rows
      if (offset < from) return {};
      if (!made.skipped.empty()) LADDER_CHECK(sink.skipped(plan.stream, made.skipped));
      if (!made.lost.empty()) LADDER_CHECK(sink.lost({path, offset}, made.lost));
      for (const std::string& unread : made.unread)
        LADDER_CHECK(sink.lost({path, offset}, format("{}; the rest of the record was imported", unread)));
      if (!made.data.empty()) LADDER_CHECK(sink.record({plan.stream, made.data, {path, offset}, made.time}));
      if (++rows % kCheckpointEvery != 0) return {};
      return sink.checkpoint(position_text(tree, unit, {index, end}));
    };
    LADDER_CHECK(each_row(tree, entry, plan, from, sink, use));
    return index + 1 < unit.entries.size() ? sink.checkpoint(position_text(tree, unit, {index + 1, 0})) : Status{};
  }

  const FlatPlan plan_;
  const std::string declaration_;
};

#define LADDER_FLAT_ROW(name) std::pair<const char*, const char*>{ladder_flat_##name##_begin, ladder_flat_##name##_end},
const std::array kFiles = {LADDER_EACH_FLAT(LADDER_FLAT_ROW)};

}  // namespace

Result<std::unique_ptr<Format>> make_flat_format(std::string_view json) {
  LADDER_TRY(FlatPlan plan, flat::read_flat_plan(json));
  return std::make_unique<FlatFormat>(std::move(plan));
}

std::span<const Format* const> flat_formats() {
  static const auto owned = [] {
    std::vector<std::unique_ptr<Format>> formats;
    for (const auto& [begin, end] : kFiles) {
      auto format = make_flat_format({begin, end});
      if (!format) std::abort();  // a shipped file is wrong; every test of a format finds it
      formats.push_back(*std::move(format));
    }
    return formats;
  }();
  static const auto formats = [] {
    std::vector<const Format*> pointers;
    for (const auto& format : owned) pointers.push_back(format.get());
    return pointers;
  }();
  return formats;
}

}  // namespace ladder::imports
