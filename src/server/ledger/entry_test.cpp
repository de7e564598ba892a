// Round-trip tests of entries, pages and keys, including malformed input.
#include "server/ledger/entry.h"

#include "crypto/random.h"
#include "server/ledger/ledger_pages.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace ladder::server {
namespace {

LedgerEntry sample(std::string record = "n1") {
  LedgerEntry entry;
  entry.at = 1'700'000'000'000'000;
  entry.client_id = "assistant";
  entry.grants = {{"grt_1", 12, 0}, {"grt_2", 0, 7}};
  entry.request_id = "r-1";
  entry.transport = "rest";
  entry.name = "/v1/search";
  entry.shown = {"search", "words", {}};
  ShownRecord& shown = entry.shown.records.emplace_back(ShownRecord{{"work", "notes", std::move(record)}, {}});
  shown.fields.push_back({"body", Unit::kChars, crypto::sha256("text"), 400, {{0, 4}, {10, 18}}});
  shown.fields.push_back({"blob_ref", Unit::kBytes, std::nullopt, 7, {{0, 7}}});
  return entry;
}

PagedEntry paged(std::string record = "n1") {
  static Salts salts;
  return PagedEntry::of(sample(std::move(record)), salts);
}

TEST(LedgerEntry, IsReadAsItWasWritten) {
  const LedgerEntry entry = sample();
  const auto read = read_entry(pack_entry(42, entry));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->owner, 42);
  EXPECT_EQ(read->entry, entry);
}

TEST(LedgerEntry, RejectsMalformedBytes) {
  const std::string packed = pack_entry(42, sample());
  for (std::size_t size = 0; size < packed.size(); ++size) EXPECT_FALSE(read_entry(packed.substr(0, size))) << size;
  EXPECT_FALSE(read_entry(packed + "x"));
  for (int i = 0; i < 2'000; ++i) static_cast<void>(read_entry(crypto::random_bytes(static_cast<std::size_t>(i % 90))));
}

TEST(LedgerEntry, OfAWindowHasTheSameBytesAsTheFullEntry) {
  api::FieldWindow window;
  window.record = {"work", "notes", std::string(300, 'k')};
  window.path = "body";
  window.size_chars = 100'000;
  window.match = api::Match{"words", 12, 17};
  for (const auto& [start, end, digest] :
       {std::tuple{0, 4'096, crypto::digest_text(crypto::sha256("text"))}, std::tuple{70'000, 70'001, std::string()},
        std::tuple{5, 5, std::string("sha256:no")}}) {
    window.start_chars = start;
    window.end_chars = end;
    window.digest = digest;
    const ShownWindow shown = disclose(window);
    for (const std::string_view query : {std::string_view(), shown.query()}) {
      const WindowEntry entry{42,     1'700'000'000'000'000,          "assistant", "grt_1", "r-1",
                              "rest", "/v1/streams/{stream}/records", query,       shown};
      std::string packed = "of the entry before";
      pack_entry(entry, packed);
      EXPECT_EQ(packed, pack_entry(42, entry.full_entry()));
      const auto read = read_entry(packed);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->entry, entry.full_entry());
      EXPECT_EQ(read->entry.shown.query, query);
      ASSERT_EQ(read->entry.shown.records.size(), 1U);
      const ShownField& field = read->entry.shown.records.front().fields.front();
      EXPECT_EQ(field.ranges, start < end ? ShownRanges({{start, end}}) : ShownRanges());
      EXPECT_EQ(field.digest.has_value(), digest.size() > 60);
      EXPECT_EQ(read->entry.grants.front().chars, end - start);
    }
  }
}

TEST(EntryPage, RoundTripsAndKeepsItsDigestAfterErasing) {
  EntryPage page;
  page.before = crypto::sha256("before");
  page.entries.push_back(paged("n1"));
  page.entries.push_back(paged("n2"));
  const crypto::Digest digest = page.digest();
  auto read = EntryPage::read(page.pack());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->digest(), digest);
  EXPECT_EQ(*read->entries[1].read(), sample("n2"));

  EXPECT_FALSE(read->erase([](const model::RecordRef& record) { return record.record_id == "n3"; }));
  EXPECT_TRUE(read->erase([](const model::RecordRef& record) { return record.record_id == "n1"; }));
  EXPECT_EQ(read->digest(), digest);
  const std::string packed = read->pack();
  EXPECT_EQ(packed.find("n1"), std::string::npos);
  read = EntryPage::read(packed);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->digest(), digest);
  EXPECT_EQ(read->entries[0].read()->erased, 1);
  EXPECT_TRUE(read->entries[0].read()->shown.records.empty());
  EXPECT_EQ(*read->entries[1].read(), sample("n2"));
}

TEST(EntryPage, HasTheSameEntriesWhenParsedInPlace) {
  EntryPage page;
  for (const char* id : {"n1", "n2", "n3"}) page.entries.push_back(paged(id));
  page.erase([](const model::RecordRef& record) { return record.record_id == "n2"; });
  const std::string packed = page.pack();
  const auto views = entries_in(packed);
  ASSERT_TRUE(views);
  ASSERT_EQ(views->size(), page.entries.size());
  for (std::size_t i = 0; i < views->size(); ++i) EXPECT_EQ((*views)[i].read(), page.entries[i].read()) << i;
  EXPECT_TRUE((*views)[0].names("n1"));
  EXPECT_FALSE((*views)[0].names("n3"));
  for (std::size_t size = 0; size < packed.size(); ++size) EXPECT_FALSE(entries_in(packed.substr(0, size))) << size;
  EXPECT_FALSE(entries_in(packed + "x"));
}

TEST(EntryPage, ChangesItsDigestWithAnyChange) {
  EntryPage page;
  page.entries.push_back(paged());
  const std::string packed = page.pack();
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto read = EntryPage::read(changed);
    EXPECT_TRUE(!read || read->digest() != page.digest()) << at;
  }
}

TEST(EntryPage, HasDifferentDigestsForEqualRanges) {
  const PagedEntry one = paged(), two = paged();
  EXPECT_NE(one.records.front().digest, two.records.front().digest) << "an erased record could be guessed";
}

TEST(Salts, AreDistinct) {
  Salts salts;
  std::set<std::string> taken;
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(taken.emplace(salts.next()).second) << i;
  for (const std::string& salt : taken) EXPECT_EQ(salt.size(), 16U);
}

TEST(LedgerKeys, SortByTheirParts) {
  EXPECT_LT(page_key(5, 9), page_key(6, 0));
  EXPECT_LT(page_key(-1, 0), page_key(0, 0));
  EXPECT_EQ(day_and_page(page_key(-3, 7)), std::pair(std::int64_t{-3}, std::int64_t{7}));
  const model::RecordRef record{"a", "b", std::string("c\0d", 3)};
  const std::string key = seen_key(record, "client");
  EXPECT_TRUE(key.starts_with(seen_prefix(record)));
  EXPECT_TRUE(key.starts_with(seen_prefix({"a", "b", ""})));
  EXPECT_FALSE(key.starts_with(seen_prefix({"a", "b", "c"}))) << "the prefix of another record does not match";
  EXPECT_LT(key, prefix_end(seen_prefix({"a", "", ""})));
  EXPECT_GE(seen_key({"ab", "b", "c"}, "client"), prefix_end(seen_prefix({"a", "", ""})));
}

}  // namespace
}  // namespace ladder::server
