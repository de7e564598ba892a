#include "store/postgres/catalog/known_streams.h"

namespace ladder::store::postgres {
namespace {

constexpr std::chrono::seconds kKept{60};

constexpr Statement kFindOwners{
    "SELECT s.stream_no, c.owner_no FROM streams s JOIN connections c ON c.connection_no = s.connection_no"
    " WHERE s.stream_no = ANY ($1::bigint[])"};
constexpr Statement kCountRecords{
    "SELECT coalesce(sum(s.record_count), 0)::bigint FROM connections c JOIN streams s ON s.connection_no = c.connection_no"
    " WHERE c.owner_no = $1::bigint"};

// Of an entry, about: the node of the map, the text's own members and its words.
std::size_t bytes_of(const HeadText& text) {
  constexpr std::size_t kOverhead = 192;
  return kOverhead + (text.words.capacity() + text.sketch.capacity()) * sizeof(std::uint32_t);
}

}  // namespace

Result<std::vector<OwnerNo>> KnownStreams::owners(Connection& connection, std::span<const WordScope> scopes) {
  std::vector<OwnerNo> owners(scopes.size(), 0);
  Int8Array unknown;
  const auto fill = [&](Int8Array* missing) {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      const auto at = owners_.find(scopes[i].stream);
      if (at != owners_.end()) owners[i] = at->second;
      else if (missing != nullptr) missing->add(scopes[i].stream);
    }
  };
  fill(&unknown);
  if (unknown.empty()) return owners;
  LADDER_TRY(const Rows found, connection.run_one(kFindOwners, unknown));
  {
    const MutexLock lock(mutex_);
    for (int row = 0; row < found.size(); ++row) owners_[found.int8(row, 0)] = found.int8(row, 1);
  }
  fill(nullptr);
  return owners;
}

Result<std::int64_t> KnownStreams::records(Connection& connection, OwnerNo owner) {
  const auto now = std::chrono::steady_clock::now();
  {
    const MutexLock lock(mutex_);
    const auto at = sizes_.find(owner);
    if (at != sizes_.end() && now - at->second.at < kKept) return at->second.records;
  }
  LADDER_TRY(const Rows rows, connection.run_one(kCountRecords, owner));
  const MutexLock lock(mutex_);
  sizes_[owner] = {.records = rows.int8(0, 0), .at = now};
  return rows.int8(0, 0);
}

std::optional<std::int64_t> KnownStreams::count(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto at = counts_.find(key);
  if (at == counts_.end()) return std::nullopt;
  return at->second;
}

std::vector<StreamFacts> KnownStreams::last_facts(const std::string& streams) {
  const MutexLock lock(mutex_);
  const auto at = facts_.find(streams);
  return at == facts_.end() ? std::vector<StreamFacts>() : at->second;
}

void KnownStreams::keep_facts(const std::string& streams, const std::vector<StreamFacts>& facts) {
  const MutexLock lock(mutex_);
  if (facts_.size() >= kMaxFacts && !facts_.contains(streams)) facts_.clear();
  facts_[streams] = facts;
}

void KnownStreams::keep_count(std::string key, std::int64_t count) {
  const MutexLock lock(mutex_);
  if (count_bytes_ + key.size() > kMaxCountBytes) {
    counts_.clear();
    count_bytes_ = 0;
  }
  count_bytes_ += key.size();
  counts_.insert_or_assign(std::move(key), count);
}

std::size_t HeadTexts::Hash::operator()(const Id& id) const {
  constexpr std::uint64_t kPrime = 0x9E37'79B9'7F4A'7C15;
  const std::uint64_t columns = std::uint64_t{id.columns} << 32 | id.context;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(id.record) ^ columns * kPrime) * kPrime >> 13);
}

std::vector<HeadTexts::Text> HeadTexts::find(std::span<const Key> keys, bool with_words) {
  std::vector<Text> found(keys.size());
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = kept_.find({keys[i].record, keys[i].columns, keys[i].context, keys[i].copies});
    if (at == kept_.end() || at->second.state != keys[i].state) continue;
    if (at->second.text->has_words || !with_words) found[i] = at->second.text;
  }
  return found;
}

void HeadTexts::keep(std::span<const Key> keys, std::span<const Text> texts) {
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t bytes = bytes_of(*texts[i]);
    if (bytes_ + bytes > kMaxBytes) {
      kept_.clear();
      bytes_ = 0;
    }
    Kept& kept = kept_[{keys[i].record, keys[i].columns, keys[i].context, keys[i].copies}];
    if (kept.text) bytes_ -= bytes_of(*kept.text);
    kept = {keys[i].state, texts[i]};
    bytes_ += bytes;
  }
}

}  // namespace ladder::store::postgres
