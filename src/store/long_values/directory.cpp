// Format of a directory page: the first key (8 bytes, big-endian). Then for each entry, as varints: its key minus the
// previous key, its count, start and size in characters, and the length of its reference, followed by the reference
// itself.
#include "store/long_values/directory.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::size_t kPageBytes = 3600;  // a page may exceed this by one entry, so it stays smaller than a chunk

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

void append_entry(std::string& page, const DirectoryEntry& entry, std::int64_t previous_key) {
  put_varint(page, distance(previous_key, entry.key));
  put_varint(page, static_cast<std::uint64_t>(entry.count));
  put_varint(page, static_cast<std::uint64_t>(entry.start_chars));
  put_varint(page, static_cast<std::uint64_t>(entry.size_chars));
  put_varint(page, entry.reference.size());
  page += entry.reference;
}

// Reads one entry; returns false at the end or when the bytes are invalid.
bool read_entry(std::string_view page, std::size_t& at, DirectoryEntry& entry) {
  const auto step = get_varint(page, at);
  const auto count = step ? get_varint(page, at) : std::nullopt;
  const auto start = count ? get_varint(page, at) : std::nullopt;
  const auto size = start ? get_varint(page, at) : std::nullopt;
  const auto length = size ? get_varint(page, at) : std::nullopt;
  if (!length || *length > page.size() - at) return false;
  entry.key = static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.key) + *step);
  entry.count = static_cast<std::int64_t>(*count);
  entry.start_chars = static_cast<std::int64_t>(*start);
  entry.size_chars = static_cast<std::int64_t>(*size);
  entry.reference = page.substr(at, *length);
  at += *length;
  return true;
}

}  // namespace

std::int64_t name_key(std::string_view decoded_name) {
  return static_cast<std::int64_t>(get_u64_be(crypto::view(crypto::sha256(decoded_name))));
}

void DirectoryBuilder::add(DirectoryEntry entry, std::string_view raw_name) { entries_.push_back({std::move(entry), raw_name}); }

// Equal names have equal keys, so only adjacent entries need comparing. Different names with the same key are kept.
void DirectoryBuilder::drop_repeated_names() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto repeats = [&](const Named& earlier) {
      return earlier.raw_name.data() != nullptr && json::name_equals(entries_[i].raw_name, json::decode_string(earlier.raw_name));
    };
    std::size_t first_of_key = kept;
    while (first_of_key > 0 && entries_[first_of_key - 1].entry.key == entries_[i].entry.key) --first_of_key;
    if (std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(first_of_key),
                    entries_.begin() + static_cast<std::ptrdiff_t>(kept), repeats)) {
      continue;
    }
    if (kept != i) entries_[kept] = std::move(entries_[i]);
    ++kept;
  }
  entries_.resize(kept);
}

std::vector<std::pair<std::int64_t, std::string>> DirectoryBuilder::pages() {
  std::ranges::sort(entries_, {}, [](const Named& named) { return std::pair(named.entry.key, named.entry.start_chars); });
  drop_repeated_names();
  std::vector<std::pair<std::int64_t, std::string>> pages;
  std::int64_t previous_key = 0;
  for (const auto& [entry, raw_name] : entries_) {
    const bool is_full = !pages.empty() && pages.back().second.size() >= kPageBytes && entry.key != previous_key;
    if (pages.empty() || is_full) {
      pages.emplace_back(entry.key, std::string());
      put_u64_be(pages.back().second, static_cast<std::uint64_t>(entry.key));
      previous_key = entry.key;
    }
    append_entry(pages.back().second, entry, previous_key);
    previous_key = entry.key;
  }
  entries_.clear();
  return pages;
}

std::vector<DirectoryEntry> find_entries(std::string_view page, std::int64_t key) {
  std::vector<DirectoryEntry> found;
  if (page.size() < 8) return found;
  DirectoryEntry entry;
  entry.key = static_cast<std::int64_t>(get_u64_be(page));
  for (std::size_t at = 8; at < page.size() && read_entry(page, at, entry) && entry.key <= key;) {
    if (distance(entry.key, key) < static_cast<std::uint64_t>(entry.count)) found.push_back(entry);
  }
  return found;
}

}  // namespace ladder::store
