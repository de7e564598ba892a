// Every format looks at every tree; of several claims on a file the surest wins.
#include "import/plan.h"

#include "base/bytes.h"
#include "base/format.h"
#include "base/nearest.h"
#include "crypto/hash.h"
#include "import/archive_names.h"
#include "import/charset/encoding.h"
#include "import/text.h"

#include <algorithm>
#include <map>

namespace ladder::imports {
namespace {

constexpr std::size_t kShownKinds = 12;

struct Claim {
  const Format* format = nullptr;
  Unit unit;
};

// Files that a surer claim has taken leave a unit; one that has none left goes.
void share_out(Tree& tree, std::vector<Claim> claims, std::vector<bool>& taken, std::vector<PlannedPart>& parts) {
  std::ranges::stable_sort(claims, [](const Claim& a, const Claim& b) { return a.unit.confidence > b.unit.confidence; });
  std::vector<PlannedPart> found;
  for (Claim& claim : claims) {
    std::erase_if(claim.unit.entries, [&](EntryNo entry) { return entry >= taken.size() || taken[entry]; });
    if (claim.unit.entries.empty()) continue;
    for (const EntryNo entry : claim.unit.entries) taken[entry] = true;
    found.push_back({claim.format, &tree, std::move(claim.unit)});
  }
  std::ranges::stable_sort(found, {}, [](const PlannedPart& part) { return part.unit.entries.front(); });
  std::ranges::move(found, std::back_inserter(parts));
}

std::unexpected<Error> no_format(std::string_view asked) {
  std::string list;
  std::vector<std::string_view> names;
  for (const Format* format : all_formats()) {
    names.push_back(format->name());
    list += (list.empty() ? "" : ", ") + std::string(format->name());
  }
  const std::string_view near = nearest(asked, names);
  return fail(
      Code::kInvalidRequest,
      format("there is no format '{}'; {}there are: {}", asked, near.empty() ? "" : format("did you mean '{}'? ", near), list),
      "as");
}

std::unexpected<Error> no_encoding(std::string_view asked) {
  return fail(
      Code::kInvalidRequest,
      format("there is no character encoding '{}'; the names are those of the web: utf-8, windows-1252, shift_jis", asked),
      "encoding");
}

std::string kinds_text(const std::map<std::string, std::int64_t>& kinds) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(kinds.begin(), kinds.end());
  std::ranges::stable_sort(sorted, std::greater<>{}, &std::pair<std::string, std::int64_t>::second);
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kShownKinds); ++i) {
    text += format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  }
  return sorted.size() > kShownKinds ? text + ", and others" : text;
}

}  // namespace

Result<Plan> make_plan(std::span<const std::string> paths, std::string_view as, const Request& request, const SignOfLife& alive) {
  std::vector<const Format*> formats(all_formats().begin(), all_formats().end());
  Request asked = request;
  if (!as.empty()) {
    const Format* only = find_format(as);
    if (!only) return no_format(as);
    formats = {only};
    asked.forced = true;
  }
  if (!request.encoding.empty() && charset::find_encoding(request.encoding) == nullptr) return no_encoding(request.encoding);
  Plan plan;
  plan.opened = open_trees(paths, alive);
  plan.refusals = plan.opened.refusals;
  std::map<std::string, std::int64_t> unclaimed;
  for (const auto& tree : plan.opened.trees) {
    std::vector<Claim> claims;
    tree->encoding = request.encoding;
    tree->watch([&](std::int64_t) { alive(); });
    for (const Format* format : formats) {
      for (Unit& unit : format->detect(*tree, asked)) claims.push_back({format, std::move(unit)});
    }
    tree->watch({});
    std::vector<bool> taken(tree->entries().size(), false);
    share_out(*tree, std::move(claims), taken, plan.parts);
    for (EntryNo i = 0; i < taken.size(); ++i) {
      if (taken[i]) continue;
      const std::string& path = tree->entries()[i].path;
      if (is_archive_name(path.substr(path.rfind('/') + 1))) {
        plan.refusals.push_back({{path, -1}, "an archive inside an archive, which is not opened: unpack it and import that"});
        continue;
      }
      ++plan.end.unclaimed;
      const std::string kind = lower_ascii(tree->entries()[i].extension());
      ++unclaimed[kind.empty() || kind.size() > 12 ? "other" : kind];
    }
    plan.refusals.insert(plan.refusals.end(), tree->refusals().begin(), tree->refusals().end());
  }
  plan.end.units = static_cast<std::int64_t>(plan.parts.size());
  plan.end.unclaimed_kinds = kinds_text(unclaimed);
  return plan;
}

extract::PlannedUnit describe(const PlannedPart& part, std::int64_t number) {
  extract::PlannedUnit unit;
  unit.number = number;
  unit.format = part.format->name();
  unit.what = part.unit.what;
  unit.account = part.unit.account;
  unit.connection_id = part.unit.target.connection_id;
  unit.display_name = part.unit.target.display_name;
  unit.source_key = part.unit.target.source_key;
  unit.only_source = part.unit.target.only_source ? 1 : 0;
  unit.tree = part.tree->name();
  unit.place = part.tree->place();
  const auto& entries = part.tree->entries();
  unit.file = part.unit.entries.size() == 1 ? entries[part.unit.entries.front()].path : part.tree->name();
  crypto::Sha256 fingerprint;
  for (const EntryNo entry : part.unit.entries) {
    const Entry& one = entries[entry];
    unit.bytes += one.size;
    fingerprint.update(format("{}\n{}\n{}\n", one.path, one.size, one.modified.value_or(0)));
  }
  unit.files = static_cast<std::int64_t>(part.unit.entries.size());
  unit.fingerprint = to_hex(crypto::view(fingerprint.finish())).substr(0, 32);
  return unit;
}

}  // namespace ladder::imports
