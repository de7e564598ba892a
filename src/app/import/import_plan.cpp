#include "app/import/import_plan.h"

#include "app/import/import_account.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ladder::app {
namespace {

constexpr std::size_t kMaxUnits = 1'000'000, kMaxRefusals = 100'000;
constexpr std::size_t kMaxPlanBytes = 512 * limits::kMiB, kMaxRefusedBytes = 64 * limits::kMiB;
constexpr std::size_t kShownUnits = 40, kShownRefusals = 20;

std::unexpected<Error> out_of_order() { return fail(Code::kRsProtocol, "the extractor sent frames out of order"); }

std::string size_text(std::int64_t bytes) {
  if (bytes < 10'000) return format("{} bytes", grouped(bytes));
  if (bytes < 10'000'000) return format("{} KB", grouped(bytes / 1000));
  return format("{} MB", grouped(bytes / 1'000'000));
}

std::string named(std::string_view what, const std::vector<imports::wire::Loss>& list) {
  if (list.empty()) return {};
  std::string text = format("{}: {}\n", what, grouped(static_cast<long long>(list.size())));
  for (std::size_t i = 0; i < std::min(list.size(), kShownRefusals); ++i) {
    text += format("  {}: {}\n", visible_label(list[i].place.file), visible_label(list[i].reason));
  }
  if (list.size() > kShownRefusals)
    text += format("  and {} more; --json lists them\n", grouped(static_cast<long long>(list.size() - kShownRefusals)));
  return text;
}

void write_list(json::Writer& out, std::string_view name, const std::vector<imports::wire::Loss>& list) {
  out.key(name).begin_array();
  for (const imports::wire::Loss& each : list) {
    out.begin_object().member("file", each.place.file).member("reason", each.reason).end_object();
  }
  out.end_array();
}

// Reports are stored by connection and unit name, and --connection may merge several connections.
void make_name_unique(imports::wire::PlannedUnit& unit, std::set<std::string>& names) {
  const std::string part = unit.part;
  for (int i = 2; !names.insert(unit.format + '\n' + unit_name(unit)).second; ++i) unit.part = format("{} ({})", part, i);
}

}  // namespace

Result<ImportPlan> read_plan(imports::wire::FrameSource& extractor) {
  ImportPlan plan;
  std::size_t bytes = 0, refused_bytes = 0;
  std::set<std::string> names;
  const auto list = [&](std::vector<imports::wire::Loss>& losses, imports::wire::Loss loss) {
    refused_bytes += loss.place.file.size() + loss.reason.size();
    if (losses.size() < kMaxRefusals && refused_bytes <= kMaxRefusedBytes) losses.push_back(std::move(loss));
  };
  for (;;) {
    LADDER_TRY(const imports::wire::Frame frame, extractor.next());
    switch (frame.kind) {
      case imports::wire::Kind::kUnit: {
        LADDER_TRY(auto unit, imports::wire::read_unit(frame.payload));
        bytes += frame.payload.size();
        if (plan.units.size() >= kMaxUnits || bytes > kMaxPlanBytes)
          return fail(Code::kRsProtocol, "the extractor reported more files than possible");
        if (unit.number != std::ssize(plan.units)) return out_of_order();
        make_name_unique(unit, names);
        plan.units.push_back(std::move(unit));
        break;
      }
      case imports::wire::Kind::kRefusal: {
        LADDER_TRY(auto refusal, imports::wire::read_loss(frame.payload));
        list(plan.refusals, std::move(refusal));
        break;
      }
      case imports::wire::Kind::kLink:
      case imports::wire::Kind::kKnown:
      case imports::wire::Kind::kLeft: {
        LADDER_TRY(auto file, imports::wire::read_loss(frame.payload));
        list(frame.kind == imports::wire::Kind::kLink    ? plan.links
             : frame.kind == imports::wire::Kind::kKnown ? plan.known
                                                         : plan.left,
             std::move(file));
        break;
      }
      case imports::wire::Kind::kPlanned: {
        LADDER_TRY(plan.end, imports::wire::read_plan_end(frame.payload));
        if (plan.end.units != std::ssize(plan.units)) return out_of_order();
        return plan;
      }
      case imports::wire::Kind::kProgress:
        break;
      case imports::wire::Kind::kFailed:
        return fail(Code::kInvalidRequest, imports::wire::read_sentence(frame.payload));
      default:
        return out_of_order();
    }
  }
}

std::string plan_text(const ImportPlan& plan) {
  std::string text = plan.units.empty() ? "Found nothing to import.\n" : "Found:\n";
  for (std::size_t i = 0; i < std::min(plan.units.size(), kShownUnits); ++i) {
    const imports::wire::PlannedUnit& unit = plan.units[i];
    text += format("  {} ({}, {} file{}, {})\n", visible_label(unit.what), visible_label(unit.file), grouped(unit.files),
                   unit.files == 1 ? "" : "s", size_text(unit.bytes));
    if (!unit.hint.empty()) text += format("    {}\n", visible_label(unit.hint));
  }
  if (plan.units.size() > kShownUnits)
    text += format("  and {} more\n", grouped(static_cast<long long>(plan.units.size() - kShownUnits)));
  if (plan.end.unclaimed > 0) {
    text += format("Skipped: {} file{} of other kinds ({})\n", grouped(plan.end.unclaimed), plan.end.unclaimed == 1 ? "" : "s",
                   visible_label(plan.end.unclaimed_kinds));
  }
  for (std::size_t i = 0; i < std::min(plan.known.size(), kShownRefusals); ++i)
    text += format("  {}: {}\n", visible_label(plan.known[i].place.file), visible_label(plan.known[i].reason));
  text += named("Refused", plan.refusals) + named("Links (not followed)", plan.links);
  if (plan.units.empty() && plan.known.empty())
    text +=
        "Choose another file or folder, or set the format with --as; ladder help sources lists them.\n"
        "A table (CSV, TSV, JSON, NDJSON) needs a declaration: ladder source infer FILE proposes one.\n";
  return text;
}

void write(json::Writer& out, const ImportPlan& plan) {
  out.key("found").begin_array();
  for (const imports::wire::PlannedUnit& unit : plan.units) {
    out.begin_object().member("format", unit.format).member("what", unit.what).member("file", unit.file);
    out.member("files", unit.files).member("bytes", unit.bytes);
    out.optional_member("hint", unit.hint).end_object();
  }
  out.end_array();
  write_list(out, "refused", plan.refusals);
  write_list(out, "links", plan.links);
  out.key("left_alone").begin_object().member("files", plan.end.unclaimed);
  out.member("kinds", plan.end.unclaimed_kinds).key("names").begin_array();
  for (const imports::wire::Loss& file : plan.left)
    out.begin_object().member("file", file.place.file).optional_member("what", file.reason).end_object();
  out.end_array().end_object();
  write_list(out, "recognized", plan.known);
}

std::string unit_name(const imports::wire::PlannedUnit& unit) {
  std::string name = format("{}/{}", unit.tree, unit.file);
  if (!unit.part.empty()) name += "/" + unit.part;
  if (name.size() > limits::kMaxRecordKeyBytes) name.erase(0, name.size() - limits::kMaxRecordKeyBytes);
  while (!name.empty() && (static_cast<unsigned char>(name.front()) & 0xC0) == 0x80) name.erase(0, 1);
  return name;
}

std::string connection_id_for(std::string_view source_key, const imports::wire::PlannedUnit& unit) {
  std::string id(source_key);
  if (unit.account.empty()) return id;
  // Letters of all scripts are kept; characters that ids cannot contain become a dash.
  id += '-';
  for (const char c : unit.account) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (plain) id += c;
    else if (c >= 'A' && c <= 'Z') id += static_cast<char>(c - 'A' + 'a');
    else if (!id.ends_with('-')) id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  if (id.size() > limits::kMaxNameBytes) id.resize(limits::kMaxNameBytes);
  while (!utf8::is_valid(id)) id.pop_back();
  return id;
}

namespace fs = std::filesystem;

bool is_named_after_tree(const imports::wire::PlannedUnit& unit) {
  return !unit.account.empty() && unit.account == unit.tree && unit.connection_id.empty();
}

std::vector<std::string> archive_accounts(const imports::wire::PlannedUnit& unit) {
  std::vector<std::string> accounts = {unit.account};
  const fs::path folder = fs::path(unit.place).parent_path().relative_path();
  for (auto part = folder.end(); part != folder.begin();) {
    --part;
    accounts.push_back(format("{}/{}", part->string(), accounts.back()));
  }
  accounts.push_back(unit.place);
  return accounts;
}

Result<std::string> folder_of(const std::vector<std::string>& paths, const imports::wire::PlannedUnit& unit) {
  if (!is_named_after_tree(unit)) return std::string();
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path whole = fs::canonical(path, error);
    if (error) continue;
    const fs::path folder = fs::is_directory(whole, error) ? whole : whole.parent_path();
    if (folder.filename() == unit.tree) folders.insert(folder.string());
  }
  if (folders.size() > 1) {
    return fail(Code::kConflict, format("several folders are named {} and would overwrite each other: import "
                                        "them one by one, each with its own --connection ID",
                                        visible_label(unit.tree)));
  }
  return folders.empty() ? std::string() : *folders.begin();
}

PastImports read_kept(const std::vector<store::ImportRow>& rows) {
  PastImports kept;
  for (const store::ImportRow& row : rows) {
    auto account = read_account(row.body);
    if (!account) continue;
    if (!account->folder.empty()) kept.places.insert(account->folder);
    if (!account->position.empty()) kept.unfinished.emplace(row.unit, *std::move(account));
    else if (!account->inputs.empty()) kept.finished.emplace(row.unit, *std::move(account));
  }
  return kept;
}

Status check_place(const std::string& place, const std::string& connection_id, const PastImports& kept) {
  if (place.empty()) return {};
  for (const std::string& other : kept.places) {
    std::error_code error;
    if (other == place || !fs::exists(other, error)) continue;
    return fail(Code::kConflict,
                format("the connection {0} contains data from {1}, which this would overwrite: --connection ID imports it "
                       "into another one, --connection {0} into this one anyway",
                       visible_label(connection_id), visible_label(other)));
  }
  return {};
}

}  // namespace ladder::app
