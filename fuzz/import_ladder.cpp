// An export by `ladder export` that was edited by hand. The first line of the input is its index, the second a
// declaration ("" is a built-in one), the third the list of blobs; then the lines of a stream. In the index @1 to @4
// stand for the digests of those files and @5 for a blob's, so that mutations pass the digest checks.
//
// Every line of a stream that a unit reads is reported once, as a record or a loss; records are valid for the parent
// process; a second read, also from any checkpoint, gives the same records and losses.
#include "base/text/bytes.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "frame.h"
#include "import/formats/format.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace ladder::fuzz {
namespace {

using imports::testing::CollectingSink;

constexpr std::string_view kDeclaration = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://a.example/b"},
  "declaration_version":"1","publisher":{"id":"https://a.example/"},"display":{"name":"Notes"},
  "streams":[{"name":"notes","semantics":"mutable_state","primary_key":["id"],"consent_time_field":"at",
  "selection":{"fields":true,"resources":true},"schema":{"type":"object","properties":{"id":{"type":"string"},
  "text":{"type":"string"},"at":{"type":"string","format":"date-time"}}}}]})";
constexpr std::string_view kBlob = "the bytes of a blob";
constexpr std::string_view kStream = "connections/1-n/1-notes.ndjson", kList = "connections/1-n/blobs.ndjson";

std::string digest(std::string_view bytes) { return to_hex(crypto::view(crypto::sha256(bytes))); }

// Replaces @1 with the first of the texts, and so on.
std::string filled_in(std::string_view text, const std::array<std::string, 5>& texts) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool stands_for = text[i] == '@' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '5';
    if (stands_for) out += texts[static_cast<std::size_t>(text[++i] - '1')];
    else out += text[i];
  }
  return out;
}

imports::testing::Files files_of(std::string_view input) {
  const std::string_view index = take_line(input), told = take_line(input), list = take_line(input);
  const std::string declaration(told.empty() ? kDeclaration : told);
  const std::string blob = digest(kBlob);
  const std::string blobs = filled_in(list, {"", "", "", "", blob});
  imports::testing::Files files;
  files["ladder-export.json"] = filled_in(index, {digest(declaration), digest(input), digest(blobs), digest(""), blob});
  files["sources/1-n.json"] = declaration;
  files[std::string(kStream)] = input;
  files[std::string(kList)] = blobs;
  files["connections/1-n/empty.ndjson"] = "";
  files["blobs/" + blob] = kBlob;
  return files;
}

void check_equal(const CollectingSink& rest, const CollectingSink& whole, std::size_t records, std::size_t losses) {
  FUZZ_CHECK(rest.records.size() + records == whole.records.size() && rest.losses.size() + losses == whole.losses.size());
  for (std::size_t i = 0; i < rest.records.size(); ++i) {
    const auto &one = rest.records[i], &other = whole.records[records + i];
    FUZZ_CHECK(one.data == other.data && one.key == other.key && one.emitted_at == other.emitted_at);
    FUZZ_CHECK(one.stream == other.stream && one.at.byte == other.at.byte && one.time == other.time);
  }
  for (std::size_t i = 0; i < rest.losses.size(); ++i) {
    const auto &one = rest.losses[i], &other = whole.losses[losses + i];
    FUZZ_CHECK(one.reason == other.reason && one.place.file == other.place.file && one.place.byte == other.place.byte);
  }
}

// Checks that every line of a file is reported by its byte offset.
void check_lines(const CollectingSink& sink, const std::string& path, std::string_view text) {
  std::multiset<std::int64_t> told;
  bool whole = false;
  for (const auto& one : sink.records) {
    if (one.at.file == path) told.insert(one.at.byte);
    FUZZ_CHECK(one.data.find('\n') == std::string::npos && utf8::is_valid(one.emitted_at));
  }
  for (const auto& one : sink.losses) {
    FUZZ_CHECK(!one.reason.empty() && utf8::is_valid(one.reason) && one.place.byte >= -1);
    if (one.place.file == path && one.place.byte >= 0) told.insert(one.place.byte);
    whole = whole || (one.place.file == path && one.reason.find("has no stream") != std::string::npos);
  }
  if (told.empty() && whole) return;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    FUZZ_CHECK(told.count(static_cast<std::int64_t>(at)) == (end > at ? 1U : 0U));
    at = end + 1;
  }
}

void check_unit(imports::Tree& tree, const imports::Unit& unit, const imports::testing::Files& files) {
  const imports::Format& format = imports::ladder_format();
  FUZZ_CHECK(!unit.entries.empty() && std::ranges::adjacent_find(unit.entries, std::greater_equal<>{}) == unit.entries.end());
  const auto declaration = format.declaration_of(tree, unit, {});
  FUZZ_CHECK(declaration ? *declaration == files.at("sources/1-n.json") : !declaration.error().message.empty());
  CollectingSink sink;
  const Status done = format.read(tree, unit, {}, "", sink);
  FUZZ_CHECK(sink.faults.empty() && (done || !done.error().message.empty()));
  if (!done) return;
  for (const imports::EntryNo entry : unit.entries) {
    const std::string& path = tree.entries()[entry].path;
    if (path == kStream && std::ranges::any_of(sink.records, [&](const auto& one) { return one.at.file == path; }))
      check_lines(sink, path, files.at(path));
  }
  CollectingSink again;
  FUZZ_CHECK(format.read(tree, unit, {}, "", again).has_value());
  check_equal(again, sink, 0, 0);
  for (std::size_t i = 0; i < sink.checkpoints.size(); ++i) {
    CollectingSink rest;
    FUZZ_CHECK(format.read(tree, unit, {}, sink.checkpoints[i].first, rest).has_value());
    check_equal(rest, sink, sink.checkpoints[i].second, sink.lost_before[i]);
  }
}

}  // namespace

void run(std::string_view input) {
  const imports::testing::Files files = files_of(input);
  imports::testing::MemoryTree tree(files);
  for (const imports::Unit& unit : imports::ladder_format().detect(tree, {})) check_unit(tree, unit, files);
}

}  // namespace ladder::fuzz
