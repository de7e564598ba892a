#include "app/backup/backup_snapshot.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ladder::app {
namespace {

// Parses "word rest\n" at the front of `text` and removes it; returns false if the next line has another word.
bool take_line(std::string_view& text, std::string_view word, std::string_view& rest) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word) || word.size() >= end || text[word.size()] != ' ') return false;
  rest = text.substr(word.size() + 1, end - word.size() - 1);
  text.remove_prefix(end + 1);
  return true;
}

bool read_number(std::string_view digits, std::int64_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::optional<Chunk> parse_chunk(std::string_view text) {
  Chunk chunk{std::string(take_word(text)), 0, {}};
  if (!is_chunk_name(chunk.name) || !read_number(take_word(text), chunk.bytes)) return std::nullopt;
  if (text.empty()) return chunk;
  const auto pack = parse_pack_name(take_word(text));
  if (!pack || !read_number(text, chunk.place.offset)) return std::nullopt;
  chunk.place.pack = *pack;
  return chunk;
}

}  // namespace

bool is_chunk_name(std::string_view name) { return name.size() == 64 && from_hex(name).has_value(); }

std::string pack_name(PackId pack) { return format("{:016x}", pack); }

std::optional<PackId> parse_pack_name(std::string_view name) {
  const auto bytes = name.size() == 2 * sizeof(PackId) ? from_hex(name) : std::nullopt;
  if (!bytes) return std::nullopt;
  const PackId pack = get_u64_be(*bytes);
  return pack != kNoPack && pack_name(pack) == name ? std::optional(pack) : std::nullopt;
}

std::string sha256_hex(std::string_view text) { return to_hex(crypto::view(crypto::sha256(text))); }

std::string snapshot_text(const Snapshot& snapshot) {
  std::string text = format("ladder {}\nengine {}\nschema {}\nmade-at {}\n", snapshot.ladder, snapshot.info.engine,
                            snapshot.info.schema, snapshot.made_at);
  for (const auto& [pack, bytes] : snapshot.packs) text += format("pack {} {}\n", pack_name(pack), bytes);
  for (const auto& [part, chunks] : snapshot.parts) {
    text += format("part {}\n", part);
    for (const Chunk& chunk : chunks) {
      text += format("chunk {} {}", chunk.name, chunk.bytes);
      if (chunk.place.pack != kNoPack) text += format(" {} {}", pack_name(chunk.place.pack), chunk.place.offset);
      text += '\n';
    }
  }
  return text + format("sum {}\n", sha256_hex(text));
}

std::optional<Snapshot> parse_snapshot(std::string_view text) {
  Snapshot snapshot;
  const std::string_view whole = text;
  std::string_view rest;
  if (!take_line(text, "ladder", rest)) return std::nullopt;
  snapshot.ladder = rest;
  if (!take_line(text, "engine", rest)) return std::nullopt;
  snapshot.info.engine = rest;
  if (!take_line(text, "schema", rest) || !read_number(rest, snapshot.info.schema)) return std::nullopt;
  if (!take_line(text, "made-at", rest) || !read_number(rest, snapshot.made_at)) return std::nullopt;
  while (take_line(text, "pack", rest)) {
    const auto pack = parse_pack_name(take_word(rest));
    if (!pack || !read_number(rest, snapshot.packs[*pack])) return std::nullopt;
  }
  while (take_line(text, "part", rest)) {
    auto& [part, chunks] = snapshot.parts.emplace_back();
    part = rest;
    while (take_line(text, "chunk", rest)) {
      auto chunk = parse_chunk(rest);
      if (!chunk || (chunk->place.pack != kNoPack && !snapshot.packs.contains(chunk->place.pack))) return std::nullopt;
      chunks.push_back(*std::move(chunk));
    }
  }
  const std::string_view summed = whole.substr(0, whole.size() - text.size());
  if (!take_line(text, "sum", rest) || rest != sha256_hex(summed) || !text.empty()) return std::nullopt;
  return snapshot;
}

std::string snapshot_name(Instant made_at) {
  const std::string time = format_time(made_at);  // 2026-11-16T23:30:00.000Z
  return format("{}{}{}T{}{}{}.{:06}Z", time.substr(0, 4), time.substr(5, 2), time.substr(8, 2), time.substr(11, 2),
                time.substr(14, 2), time.substr(17, 2), made_at % kSecond);
}

std::optional<Instant> time_of_snapshot_name(std::string_view name) {
  if (name.size() != snapshot_name(0).size() || name[8] != 'T') return std::nullopt;
  const auto time = parse_time(format("{}-{}-{}T{}:{}:{}", name.substr(0, 4), name.substr(4, 2), name.substr(6, 2),
                                      name.substr(9, 2), name.substr(11, 2), name.substr(13)));
  return time && snapshot_name(*time) == name ? time : std::nullopt;
}

std::int64_t Snapshot::bytes() const {
  std::int64_t sum = 0;
  each_chunk([&](const Chunk& chunk) { sum += chunk.bytes; });
  return sum;
}

void Snapshot::add(std::string_view part, Chunk chunk) {
  if (parts.empty() || parts.back().first != part) parts.emplace_back(part, std::vector<Chunk>());
  parts.back().second.push_back(std::move(chunk));
}

void Snapshot::locate_chunks(std::span<const Chunk> chunks) {
  auto placed = chunks.begin();
  for (auto& [part, its_chunks] : parts) {
    for (Chunk& chunk : its_chunks) chunk = *placed++;
  }
}

void Snapshot::each_chunk(const std::function<void(const Chunk&)>& use) const {
  for (const auto& [part, chunks] : parts) {
    for (const Chunk& chunk : chunks) use(chunk);
  }
}

}  // namespace ladder::app
