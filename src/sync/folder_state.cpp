#include "sync/folder_state.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/percent.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::sync {
namespace {

constexpr std::string_view kNone = "-";

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// Words are percent-encoded, except for the characters of keys.
std::string to_word(std::string_view text) {
  if (text.empty()) return std::string(kNone);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte > 0x20 && byte < 0x7F && c != '%' && c != ';' && c != ':' && !(c == '-' && text == kNone);
    if (is_plain) out += c;
    else out += format("%{:02X}", byte);
  }
  return out;
}

std::string of_word(std::string_view word) {
  return word == kNone ? std::string() : percent_decode_bytes(word).value_or(std::string());
}

// "messages:3f16;filings:9abc"
std::string to_word(const std::vector<RecordKey>& records) {
  std::string out;
  for (const RecordKey& record : records)
    out += format("{}{}:{}", out.empty() ? "" : ";", to_word(record.stream), to_word(record.key));
  return out.empty() ? std::string(kNone) : out;
}

std::vector<RecordKey> records_of_word(std::string_view word) {
  std::vector<RecordKey> records;
  while (word != kNone && !word.empty()) {
    const std::string_view one = word.substr(0, word.find(';'));
    word.remove_prefix(std::min(one.size() + 1, word.size()));
    const std::size_t colon = std::min(one.find(':'), one.size());
    records.push_back({of_word(one.substr(0, colon)), of_word(one.substr(std::min(colon + 1, one.size())))});
  }
  return records;
}

}  // namespace

void FolderState::add(Entry entry) {
  if (chunks.empty() || chunks.back().entries.size() >= kChunkEntries) chunks.emplace_back();
  chunks.back().entries.push_back(std::move(entry));
  chunks.back().changed = true;
}

void FolderState::forget_all() {
  each([](Entry& entry) { return !std::exchange(entry.gone, true); });
  uid_next = 1;
  modseq = messages = 0;
  token.clear();
}

std::uint64_t FolderState::live() const {
  std::uint64_t count = 0;
  for (const Chunk& chunk : chunks) count += std::ranges::count(chunk.entries, false, &Entry::gone);
  return count;
}

std::uint64_t FolderState::count() const {
  std::uint64_t count = 0;
  for (const Chunk& chunk : chunks) count += chunk.entries.size();
  return count;
}

std::string to_body(const FolderState& folder) {
  json::Writer out;
  out.begin_object().member("wire_name", folder.wire_name).member("name", folder.name);
  out.member("uid_validity", std::int64_t{folder.uid_validity}).member("uid_next", std::int64_t{folder.uid_next});
  out.member("modseq", static_cast<std::int64_t>(folder.modseq)).member("messages", static_cast<std::int64_t>(folder.messages));
  out.optional_member("token", folder.token).member("gone", static_cast<std::int64_t>(folder.count() - folder.live()));
  out.member("chunks", std::ssize(folder.chunks)).end_object();
  return out.take();
}

FolderState folder_of(std::string_view json) {
  const auth::Body body(json);
  FolderState folder;
  folder.wire_name = body.text("wire_name");
  folder.name = body.text("name");
  folder.uid_validity = static_cast<std::uint32_t>(body.number("uid_validity"));
  folder.uid_next = static_cast<imap::Uid>(body.number("uid_next"));
  folder.modseq = static_cast<std::uint64_t>(body.number("modseq"));
  folder.messages = static_cast<std::uint64_t>(body.number("messages"));
  folder.token = body.text("token");
  folder.gone = body.number("gone");
  folder.chunk_count = body.number("chunks");
  return folder;
}

std::string to_lines(const Chunk& chunk) {
  std::string lines;
  for (const Entry& entry : chunk.entries) {
    lines += format("{} {} {} {} {} {}\n", entry.uid, to_word(entry.flags), entry.gone ? 1 : 0, to_word(entry.records),
                    to_word(entry.name), to_word(entry.stamp));
  }
  return lines;
}

Chunk chunk_of(std::string_view lines) {
  Chunk chunk;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    Entry& entry = chunk.entries.emplace_back();
    entry.uid = static_cast<imap::Uid>(imap::parse_number(take_word(line)).value_or(0));
    entry.flags = of_word(take_word(line));
    entry.gone = take_word(line) == "1";
    entry.records = records_of_word(take_word(line));
    entry.name = of_word(take_word(line));
    entry.stamp = of_word(take_word(line));
  }
  return chunk;
}

std::string maildir_flags(const std::set<std::string>& flags) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kLetters = {
      {{"\\draft", 'D'}, {"\\flagged", 'F'}, {"\\answered", 'R'}, {"\\seen", 'S'}, {"\\deleted", 'T'}}};
  std::string letters;
  for (const auto& [flag, letter] : kLetters) {
    if (flags.contains(std::string(flag))) letters += letter;
  }
  return letters;
}

}  // namespace ladder::sync
