// The field index tests start from the store suite's notes with more fields; a test chooses the indexed ones.
#pragma once

#include "base/text/format.h"
#include "store/index/field_index.h"
#include "store_suite.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ladder::store {

using Indexed = std::vector<Store::IndexedField>;
using Keys = std::vector<std::string>;

inline const Indexed kAll = {
    {"when", IndexKind::kTime}, {"size", IndexKind::kNumber}, {"tag", IndexKind::kText}, {"seen", IndexKind::kDays}};

inline constexpr std::int64_t kFirstDay = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLastDay = std::numeric_limits<std::int64_t>::max();

class FieldIndexSuite : public StoreSuite {
 protected:
  // Declares a new version of the source with these indexed fields of notes.
  void declare(const Indexed& indexed) {
    SourceRow source = world_source();
    source.version = format("indexed {}", ++version_);
    must(store().put_source(world().owner(), source, streams(indexed)));
  }
  static std::vector<Store::StreamFields> streams(const Indexed& indexed) {
    std::vector<Store::StreamFields> streams = world_streams();
    for (const char* const field : {"when", "size", "tag", "seen", "blob_ref"}) streams[0].fields.emplace_back(field);
    streams[0].indexed = indexed;
    return streams;
  }

  std::map<std::string, IndexRow> indexes() { return indexes(world().stream("notes")); }
  std::map<std::string, IndexRow> indexes(StreamNo stream) {
    const Catalog catalog = must(store().catalog(world().owner()));
    std::map<std::string, IndexRow> found;
    for (const IndexRow& index : catalog.indexes) {
      const auto field = std::ranges::find(catalog.fields, index.field, &FieldRow::no);
      EXPECT_NE(field, catalog.fields.end());
      if (index.stream != stream) continue;
      EXPECT_TRUE(found.emplace(field->name, index).second) << field->name;
    }
    return found;
  }

  void finish_reindex() {
    for (int i = 0; i < 1'000; ++i) {
      if (must(store().reindex(Deadline::after(std::chrono::seconds(10))))) return;
    }
    ADD_FAILURE() << "reindexing does not come to an end";
  }

  Keys page_keys(IndexNo index, IndexRange range, bool descending, std::int64_t page_size) {
    Keys keys;
    const auto reader = must(store().read(world().owner()));
    for (;;) {
      const auto page = must(reader->index_page(index, range, descending, page_size));
      EXPECT_LE(std::ssize(page), page_size);
      for (const IndexedRow& row : page) {
        EXPECT_EQ(row.record.stream, world().stream("notes"));
        EXPECT_TRUE(row.entry.ends_with(row.record.order_key));
        keys.push_back(row.record.key);
      }
      if (std::ssize(page) < page_size) return keys;
      if (descending) range.to = page.back().entry;
      else range.from = page.back().entry + std::string(1, '\0');
    }
  }

  std::int64_t catalog_version() { return must(store().catalog(world().owner())).owner.catalog_version; }

 private:
  int version_ = 0;
};

}  // namespace ladder::store
