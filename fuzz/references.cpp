// References stored next to text: in rows, directory pages and field versions. They come from the disk, so any bytes
// may occur; and what Ladder writes is found again. First line: a reference. The rest: the bytes of a page.
#include "base/text/bytes.h"
#include "frame.h"
#include "store/index/field_versions.h"
#include "store/long_values/directory.h"
#include "store/long_values/long_value.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

void check_reference(std::string_view text) {
  const auto ref = store::parse_reference(text);
  if (!ref) {
    FUZZ_CHECK(ref.error().code == Code::kInternal && !store::same_content(text, text));
    return;
  }
  FUZZ_CHECK(ref->chunk_chars > 0 && ref->size_chars >= 0 && ref->text_start >= 0 && ref->id >= 0);
  const std::string written = store::format_reference(*ref);
  const auto again = store::parse_reference(written);
  FUZZ_CHECK(again && *again == *ref && store::same_content(text, written));
  store::LongRef moved = *ref;
  moved.id ^= 1;
  moved.text_start = 0;
  FUZZ_CHECK(store::same_content(text, store::format_reference(moved)));
  moved.digest[0] ^= 1;
  FUZZ_CHECK(!store::same_content(text, store::format_reference(moved)));
}

// Looks a key up in a page of unknown origin: a result covers the requested key and lies inside the page.
void check_page(std::string_view page, std::int64_t key) {
  for (const store::DirectoryEntry& entry : store::find_entries(page, key)) {
    const std::uint64_t distance = static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(entry.key);
    FUZZ_CHECK(entry.key <= key && distance < static_cast<std::uint64_t>(entry.count));
    FUZZ_CHECK(entry.reference.size() <= page.size());
  }
}

// Packs entries made from the bytes into pages and looks them up: each is on the page with the largest first key that
// is not above its own.
void check_directory(std::string_view bytes) {
  store::DirectoryBuilder builder;
  std::vector<store::DirectoryEntry> entries;
  for (std::size_t at = 0; at + 4 <= bytes.size() && entries.size() < 500; at += 4) {
    const auto byte = [&](std::size_t i) { return static_cast<std::int64_t>(static_cast<unsigned char>(bytes[at + i])); };
    store::DirectoryEntry entry;
    // Keys are far apart on both sides of zero, as hashes are, with at least one element each.
    entry.key = ((byte(0) << 8) - 0x8000) * (std::int64_t{1} << 47) + static_cast<std::int64_t>(entries.size()) * 256;
    entry.count = 1 + byte(1);
    entry.start_chars = static_cast<std::int64_t>(entries.size());
    entry.size_chars = byte(2);
    entry.reference = std::string(static_cast<std::size_t>(byte(3)), 'r');
    entries.push_back(entry);
    builder.add(entry);
  }
  std::vector<std::pair<std::int64_t, std::string>> pages;
  FUZZ_CHECK(builder.finish([&](std::int64_t first, const std::string& page) -> Status {
    FUZZ_CHECK(pages.empty() || pages.back().first < first);
    pages.emplace_back(first, page);
    return {};
  }));
  FUZZ_CHECK(pages.empty() == entries.empty());
  for (const store::DirectoryEntry& entry : entries) {
    for (const std::int64_t key : {entry.key, entry.key + entry.count - 1}) {
      const auto behind = std::ranges::upper_bound(pages, key, {}, &std::pair<std::int64_t, std::string>::first);
      FUZZ_CHECK(behind != pages.begin());
      const auto found = store::find_entries(std::prev(behind)->second, key);
      FUZZ_CHECK(std::ranges::any_of(found, [&](const store::DirectoryEntry& one) {
        return one.key == entry.key && one.start_chars == entry.start_chars && one.size_chars == entry.size_chars &&
               one.count == entry.count && one.reference == entry.reference;
      }));
    }
  }
}

void check_versions(std::string_view bytes) {
  const auto versions = store::FieldVersions::decode(bytes);
  if (!versions) return;
  const auto again = store::FieldVersions::decode(versions->encode());
  FUZZ_CHECK(again && again->created == versions->created && again->changed == versions->changed);
}

void check_varints(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t before = at;
    const auto value = get_varint(bytes, at);
    if (!value) break;
    FUZZ_CHECK(at > before && at <= bytes.size());
    std::string written;
    put_varint(written, *value);
    std::size_t behind = 0;
    FUZZ_CHECK(get_varint(written, behind) == value && behind == written.size() && written.size() <= at - before);
  }
  const auto raw = from_hex(bytes);
  if (raw) FUZZ_CHECK(raw->size() * 2 == bytes.size());
  FUZZ_CHECK(from_hex(to_hex(bytes)) == bytes);
}

}  // namespace

void run(std::string_view input) {
  check_reference(take_line(input));
  const Exact copy(input);
  const std::string_view page = copy.view();
  const std::int64_t first = page.size() < 8 ? 0 : static_cast<std::int64_t>(get_u64_be(page));
  for (const std::int64_t key : {first, std::int64_t{0}, std::int64_t{1}, INT64_MIN, INT64_MAX}) check_page(page, key);
  if (first < INT64_MAX - 300) check_page(page, first + 300);
  check_directory(page);
  check_versions(page);
  check_varints(page);
}

}  // namespace ladder::fuzz
