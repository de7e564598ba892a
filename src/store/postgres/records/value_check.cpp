#include "store/postgres/records/value_check.h"

#include "json/scan/scan.h"
#include "store/checksums/row_sums.h"
#include "store/long_values/long_value.h"
#include "store/postgres/engine/record_rows.h"

#include <algorithm>
#include <map>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kValueChunksAtOnce = 256;  // of a value: 1 MB

// $1, $2: first and last value of each record; $3, $4: first and last chunk. The ordinal identifies the record.
constexpr Statement kChunksOf{R"(
  SELECT w.place, c.value_id, c.chunk_no, c.stored, c.sum, c.raw_size
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(first, last, place),
       LATERAL (SELECT * FROM chunks WHERE owner_no = :owner AND value_id BETWEEN w.first AND w.last
                AND chunk_no BETWEEN $3::bigint AND $4::bigint OFFSET 0) AS c)"};
constexpr Statement kPagesOf{R"(
  SELECT w.place, d.value_id, d.first_key, d.page, d.sum
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(first, last, place),
       LATERAL (SELECT * FROM directory WHERE owner_no = :owner AND value_id BETWEEN w.first AND w.last OFFSET 0) AS d)"};

struct Ranges {
  Int8Array first, last;
  std::vector<StoredValues*> owners;

  void add(StoredValues* values) {
    first.add(values->first);
    last.add(values->first + values->count - 1);
    owners.push_back(values);
  }
  StoredValues& owner(const Rows& rows, int row) const { return *owners[static_cast<std::size_t>(rows.int8(row, 0) - 1)]; }
};

// Returns whether every text that the body refers to is complete.
bool is_complete(const StoredValues& values, const std::map<ValueId, std::int64_t>& bytes) {
  for (json::Members members(values.body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    const auto ref = parse_reference(members.value().text);
    if (!ref) return false;
    const auto found = bytes.find(ref->text_id);
    if ((found == bytes.end() ? 0 : found->second) != ref->size_bytes) return false;
  }
  return true;
}

}  // namespace

Status check_values(Connection& connection, std::span<StoredValues> values) {
  Ranges all;
  for (StoredValues& each : values) {
    if (each.count > 0) all.add(&each);
  }
  std::map<ValueId, std::int64_t> bytes;
  std::string buffer;
  Ranges asked = all;
  for (std::int64_t from = 0; !asked.owners.empty(); from += kValueChunksAtOnce) {
    LADDER_TRY(const Rows rows, connection.run_one(kChunksOf, asked.first, asked.last, from, from + kValueChunksAtOnce - 1));
    std::vector<StoredValues*> longer;
    for (int row = 0; row < rows.size(); ++row) {
      StoredValues& owner = asked.owner(rows, row);
      const std::int64_t chunk_no = rows.int8(row, 2);
      const auto text = intact_chunk(stored_at(rows, row, 3, 5), rows.maybe_int8(row, 4), rows.int8(row, 1), chunk_no, buffer);
      if (!text) owner.intact = false;
      bytes[rows.int8(row, 1)] += text ? std::ssize(*text) : 0;
      if (chunk_no == from + kValueChunksAtOnce - 1 && std::ranges::find(longer, &owner) == longer.end())
        longer.push_back(&owner);
    }
    asked = {};
    for (StoredValues* const each : longer) asked.add(each);
  }
  if (all.owners.empty()) return {};
  LADDER_TRY(const Rows pages, connection.run_one(kPagesOf, all.first, all.last));
  for (int row = 0; row < pages.size(); ++row) {
    if (!holds(pages.maybe_int8(row, 4), page_sum(pages.int8(row, 1), pages.int8(row, 2), pages.bytes(row, 3)))) {
      all.owner(pages, row).intact = false;
    }
  }
  for (StoredValues* const each : all.owners) each->intact = each->intact && is_complete(*each, bytes);
  return {};
}

}  // namespace ladder::store::postgres
