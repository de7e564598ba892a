#include "server/ledger/ledger_pages.h"

#include "base/text/bytes.h"
#include "crypto/random.h"

#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kSaltBytes = 16, kSaltsAtOnce = 256;
constexpr std::size_t kDigestBytes = crypto::Digest{}.size();
// Key parts are terminated by two bytes; a zero byte inside a part is escaped as 0, 255.
constexpr std::string_view kPartEnd("\0\1", 2), kZeroInside("\0\377", 2);

void put_number(std::string& out, std::int64_t value) { put_varint(out, static_cast<std::uint64_t>(value)); }

std::optional<std::int64_t> get_number(std::string_view bytes, std::size_t& at) {
  const auto value = get_varint(bytes, at);
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<crypto::Digest> get_digest(std::string_view bytes, std::size_t& at) {
  if (bytes.size() - at < kDigestBytes) return std::nullopt;
  const crypto::Digest digest = crypto::to_digest(bytes.substr(at, kDigestBytes));
  at += kDigestBytes;
  return digest;
}

// Makes negative numbers (days before 1970) sort before positive ones.
std::uint64_t sortable(std::int64_t number) { return static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63); }
std::int64_t unsortable(std::uint64_t number) { return static_cast<std::int64_t>(number ^ (std::uint64_t{1} << 63)); }

void put_part(std::string& key, std::string_view part) {
  for (std::size_t zero = 0; (zero = part.find('\0')) != part.npos; part.remove_prefix(zero + 1)) {
    key.append(part.substr(0, zero)).append(kZeroInside);
  }
  key.append(part).append(kPartEnd);
}

std::optional<std::string> get_part(std::string_view key, std::size_t& at) {
  std::string part;
  while (at < key.size()) {
    if (key[at] != '\0') {
      part += key[at++];
      continue;
    }
    const std::string_view two = key.substr(at, 2);
    at += 2;
    if (two == kPartEnd) return part;
    if (two != kZeroInside) return std::nullopt;
    part += '\0';
  }
  return std::nullopt;
}

}  // namespace

std::optional<ShownRecord> PagedRecord::read() const {
  return salted.size() < kSaltBytes ? std::nullopt : read_record(std::string_view(salted).substr(kSaltBytes));
}

std::string_view Salts::next() {
  if (at_ == bytes_.size()) {
    bytes_ = crypto::random_bytes(kSaltBytes * kSaltsAtOnce);
    at_ = 0;
  }
  at_ += kSaltBytes;
  return std::string_view(bytes_).substr(at_ - kSaltBytes, kSaltBytes);
}

PagedEntry PagedEntry::of(const LedgerEntry& entry, Salts& salts) {
  PagedEntry paged{pack_head(entry), {}};
  paged.records.reserve(entry.shown.records.size());
  for (const ShownRecord& record : entry.shown.records) {
    PagedRecord& made = paged.records.emplace_back();
    made.salted = salts.next();
    made.salted += pack_record(record);
    made.digest = crypto::sha256(made.salted);
  }
  return paged;
}

std::optional<LedgerEntry> PagedEntry::read() const {
  LedgerEntry entry;
  if (!read_head(head, entry)) return std::nullopt;
  for (const PagedRecord& record : records) {
    if (record.salted.empty()) {
      ++entry.erased;
      continue;
    }
    auto shown = record.read();
    if (!shown) return std::nullopt;
    entry.shown.records.push_back(*std::move(shown));
  }
  return entry;
}

crypto::Digest EntryPage::digest() const {
  crypto::Sha256 hash;
  hash.update(crypto::view(before));
  for (const PagedEntry& entry : entries) {
    std::string frame;
    put_sized(frame, entry.head);
    put_number(frame, std::ssize(entry.records));
    for (const PagedRecord& record : entry.records) frame += crypto::view(record.digest);
    hash.update(frame);
  }
  return hash.finish();
}

std::string EntryPage::pack() const {
  std::string out(crypto::view(before));
  put_number(out, std::ssize(entries));
  for (const PagedEntry& entry : entries) {
    put_sized(out, entry.head);
    put_number(out, std::ssize(entry.records));
    for (const PagedRecord& record : entry.records) {
      put_sized(out, record.salted);
      if (record.salted.empty()) out += crypto::view(record.digest);
    }
  }
  return out;
}

std::optional<EntryPage> EntryPage::read(std::string_view packed) {
  EntryPage page;
  std::size_t at = 0;
  const auto before = get_digest(packed, at);
  const auto entries = get_number(packed, at);
  if (!before || !entries) return std::nullopt;
  page.before = *before;
  for (std::int64_t i = 0; i < *entries; ++i) {
    const auto head = get_sized(packed, at);
    const auto records = get_number(packed, at);
    if (!head || !records) return std::nullopt;
    PagedEntry& entry = page.entries.emplace_back(PagedEntry{std::string(*head), {}});
    for (std::int64_t j = 0; j < *records; ++j) {
      const auto salted = get_sized(packed, at);
      if (!salted) return std::nullopt;
      PagedRecord& record = entry.records.emplace_back(PagedRecord{std::string(*salted), {}});
      const auto digest = salted->empty() ? get_digest(packed, at) : crypto::sha256(*salted);
      if (!digest) return std::nullopt;
      record.digest = *digest;
    }
  }
  if (at != packed.size()) return std::nullopt;
  return page;
}

std::optional<std::vector<EntryView>> entries_in(std::string_view packed) {
  std::size_t at = 0;
  const auto before = get_digest(packed, at);
  const auto count = get_number(packed, at);
  if (!before || !count) return std::nullopt;
  std::vector<EntryView> entries;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto head = get_sized(packed, at);
    const std::size_t from = at;
    const auto records = get_number(packed, at);
    if (!head || !records) return std::nullopt;
    for (std::int64_t j = 0; j < *records; ++j) {
      const auto salted = get_sized(packed, at);
      if (!salted || (salted->empty() && !get_digest(packed, at))) return std::nullopt;
    }
    entries.push_back({*head, packed.substr(from, at - from)});
  }
  if (at != packed.size()) return std::nullopt;
  return entries;
}

std::optional<LedgerEntry> EntryView::read() const {
  LedgerEntry entry;
  if (!read_head(head, entry)) return std::nullopt;
  std::size_t at = 0;
  const auto count = get_number(records, at);
  if (!count) return std::nullopt;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto salted = get_sized(records, at);
    if (!salted) return std::nullopt;
    if (salted->empty()) {
      if (!get_digest(records, at)) return std::nullopt;
      ++entry.erased;
      continue;
    }
    auto shown = salted->size() < kSaltBytes ? std::nullopt : read_record(salted->substr(kSaltBytes));
    if (!shown) return std::nullopt;
    entry.shown.records.push_back(*std::move(shown));
  }
  return entry;
}

bool EntryPage::erase(const std::function<bool(const model::RecordRef&)>& is_erased) {
  bool any = false;
  for (PagedEntry& entry : entries) {
    for (PagedRecord& record : entry.records) {
      const auto shown = record.read();
      if (!shown || !is_erased(shown->record)) continue;
      record.salted.clear();
      any = true;
    }
  }
  return any;
}

std::string day_key(std::int64_t day) {
  std::string key;
  put_u64_be(key, sortable(day));
  return key;
}

std::string page_key(std::int64_t day, std::int64_t page) {
  std::string key = day_key(day);
  put_u64_be(key, sortable(page));
  return key;
}

std::pair<std::int64_t, std::int64_t> day_and_page(std::string_view key) {
  if (key.size() != 16) return {0, 0};
  return {unsortable(get_u64_be(key.substr(0, 8))), unsortable(get_u64_be(key.substr(8)))};
}

std::string seen_prefix(const model::RecordRef& record) {
  std::string key;
  for (const std::string* part : {&record.connection_id, &record.stream, &record.record_id}) {
    if (part->empty()) break;
    put_part(key, *part);
  }
  return key;
}

std::string seen_key(const model::RecordRef& record, std::string_view client_id) {
  std::string key;
  for (const std::string* part : {&record.connection_id, &record.stream, &record.record_id}) put_part(key, *part);
  put_part(key, client_id);
  return key;
}

std::string prefix_end(std::string_view prefix) {
  std::string key(prefix);
  while (!key.empty() && key.back() == '\377') key.pop_back();
  if (!key.empty()) key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
  return key;
}

std::string next_key(std::string_view key) { return std::string(key) + '\0'; }

std::unexpected<Error> damaged_ledger(std::string_view what) {
  return fail(Code::kDamagedData, "the ledger is damaged: " + std::string(what) + "; run `ladder doctor` for details");
}

std::string pack_day(const LedgerDay& day) {
  std::string out;
  put_number(out, day.entries);
  put_number(out, day.pages);
  put_number(out, day.expired ? 1 : 0);
  return out.append(crypto::view(day.before)).append(crypto::view(day.head));
}

std::optional<LedgerDay> read_day(std::string_view key, std::string_view body) {
  if (key.size() != 8) return std::nullopt;
  LedgerDay day;
  day.day = unsortable(get_u64_be(key));
  std::size_t at = 0;
  const auto entries = get_number(body, at);
  const auto pages = get_number(body, at);
  const auto expired = get_number(body, at);
  const auto before = get_digest(body, at);
  const auto head = before ? get_digest(body, at) : std::nullopt;
  if (!entries || !pages || !expired || !head) return std::nullopt;
  day.entries = *entries;
  day.pages = *pages;
  day.expired = *expired != 0;
  day.before = *before;
  day.head = *head;
  return day;
}

std::string pack_seen(const SeenRecord& seen) {
  std::string out;
  put_sized(out, seen.client_id);
  put_number(out, seen.first_at);
  put_number(out, seen.last_at);
  put_number(out, seen.answers);
  put_sized(out, pack_record(seen.shown));
  return out;
}

std::optional<SeenRecord> read_seen(std::string_view body) {
  SeenRecord seen;
  std::size_t at = 0;
  const auto client = get_sized(body, at);
  const auto first = get_number(body, at);
  const auto last = get_number(body, at);
  const auto answers = get_number(body, at);
  const auto packed = get_sized(body, at);
  if (!client || !first || !last || !answers || !packed) return std::nullopt;
  auto shown = read_record(*packed);
  if (!shown) return std::nullopt;
  seen.client_id = *client;
  seen.first_at = *first;
  seen.last_at = *last;
  seen.answers = *answers;
  seen.shown = *std::move(shown);
  return seen;
}

std::string sum_key(const SeenSum& sum) {
  std::string key;
  for (const std::string* part : {&sum.client_id, &sum.connection_id, &sum.stream}) put_part(key, *part);
  return key;
}

std::string pack_sum(const SeenSum& sum) {
  std::string out;
  put_number(out, sum.records);
  put_number(out, sum.chars);
  put_number(out, sum.last_at);
  return out;
}

std::optional<SeenSum> read_sum(std::string_view key, std::string_view body) {
  std::size_t at = 0;
  auto client = get_part(key, at);
  auto connection = get_part(key, at);
  auto stream = get_part(key, at);
  at = 0;
  const auto records = get_number(body, at);
  const auto chars = get_number(body, at);
  const auto last = get_number(body, at);
  if (!client || !connection || !stream || !records || !chars || !last) return std::nullopt;
  return SeenSum{*std::move(client), *std::move(connection), *std::move(stream), *records, *chars, *last};
}

std::string use_key(const LedgerUse& use) {
  std::string key = day_key(use.day);
  put_part(key, use.client_id);
  put_part(key, use.grant_id);
  return key;
}

std::string pack_use(const LedgerUse& use) {
  std::string out;
  put_number(out, use.answers);
  put_number(out, use.chars);
  put_number(out, use.bytes);
  return out;
}

std::optional<LedgerUse> read_use(std::string_view key, std::string_view body) {
  if (key.size() < 8) return std::nullopt;
  LedgerUse use;
  use.day = unsortable(get_u64_be(key));
  std::size_t at = 8;
  auto client = get_part(key, at);
  auto grant = get_part(key, at);
  at = 0;
  const auto answers = get_number(body, at);
  const auto chars = get_number(body, at);
  const auto bytes = get_number(body, at);
  if (!client || !grant || !answers || !chars || !bytes) return std::nullopt;
  use.client_id = *std::move(client);
  use.grant_id = *std::move(grant);
  use.answers = *answers;
  use.chars = *chars;
  use.bytes = *bytes;
  return use;
}

void SeenRecord::add(const SeenRecord& more) {
  first_at = std::min(first_at, more.first_at);
  last_at = std::max(last_at, more.last_at);
  answers += more.answers;
  shown.add(more.shown.fields);
}

}  // namespace ladder::server
