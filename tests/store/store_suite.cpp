#include "store_suite.h"

#include "base/text/utf8.h"
#include "json/writer.h"
#include "store/index/order_key.h"
#include "store/long_values/split.h"

namespace ladder::store {

SourceRow world_source(std::string_view key) {
  SourceRow source;
  source.key = key;
  source.source_id = "https://example.org/sources/" + std::string(key);
  source.version = "1";
  source.declaration = R"({"source":"made up for the store suite"})";
  source.added_at = kNow;
  return source;
}

std::vector<Store::StreamFields> world_streams() { return {{"notes", {"id", "at", "title", "body"}}, {"events", {"id", "at"}}}; }

World::World(Store& store, std::string_view owner_name, std::string_view connection_id) : store_(store) {
  owner_ = must(store.add_owner(owner_name, kNow)).no;
  const SourceRow source = must(store.put_source(owner_, world_source(), world_streams()));
  ConnectionRow connection;
  connection.source = source.no;
  connection.connection_id = connection_id;
  connection.status = "active";
  connection.created_at = kNow;
  const Result<ConnectionRow> added = store.add_connection(owner_, connection, std::vector<std::string>{"notes", "events"});
  if (!added && added.error().code != Code::kConflict) must(added);  // another world has added it already
  const Catalog catalog = must(store.catalog(owner_));
  for (const ConnectionRow& row : catalog.connections) {
    if (row.connection_id != connection_id) continue;
    for (const StreamRow& stream : catalog.streams) {
      if (stream.connection == row.no) streams_[stream.name] = stream.no;
    }
  }
  for (const FieldRow& field : catalog.fields) {
    if (field.source == source.no && field.stream == "notes") fields_[field.name] = field.no;
  }
  declared_.name = "notes";
  declared_.cursor_field = "at";
}

WriteTarget World::target(const std::string& stream_name, bool append_only) const {
  WriteTarget target;
  target.owner = owner_;
  target.stream = streams_.at(stream_name);
  target.append_only = append_only;
  for (const auto& [name, no] : fields_) target.fields[name] = no;
  return target;
}

RecordWrite World::start(std::string_view key, const std::string& data) const {
  RecordWrite write;
  write.key = key;
  write.emitted_at = "2026-04-01T00:00:00Z";
  write.digest = crypto::sha256(data);
  write.order_key = order_key(declared_, json::value_of(data), key);
  return write;
}

RecordWrite World::record(std::string_view key, const std::string& data) {
  RecordWrite write = start(key, data);
  const json::Value value = json::value_of(data);
  const SplitPlan plan = must(plan_split(value));
  write.value_count = plan.value_count;
  if (plan.value_count > 0) write.first_value = must(store_.reserve_values(owner_, plan.value_count));
  write.body = must(split_long_values(value, plan, write.first_value, write.values));
  return write;
}

RecordWrite World::staged_record(std::string_view key, const std::string& data) {
  RecordWrite write = start(key, data);
  const json::Value value = json::value_of(data);
  const SplitPlan plan = must(plan_split(value));
  write.staged = true;
  write.value_count = plan.value_count;
  write.first_value = must(store_.reserve_values(owner_, plan.value_count));
  const auto staging = must(store_.stage(owner_, write.first_value, write.value_count, streams_.at("notes")));
  write.body = must(split_long_values(value, plan, write.first_value, *staging));
  must(staging->finish());
  return write;
}

RecordWrite World::deletion(std::string_view key) {
  RecordWrite write;
  write.is_delete = true;
  write.key = key;
  write.emitted_at = "2026-04-02T00:00:00Z";
  return write;
}

std::vector<RecordWrite> World::one(RecordWrite record) {
  std::vector<RecordWrite> records;
  records.push_back(std::move(record));
  return records;
}

std::vector<Outcome> World::write(const WriteTarget& target, std::vector<RecordWrite> records, Instant now) {
  std::vector<Outcome> outcomes = must(store_.write(target, records, now));
  EXPECT_EQ(outcomes.size(), records.size());
  return outcomes;
}

std::optional<RecordRow> World::find(StreamNo stream, std::string_view key) {
  const StreamNo streams[] = {stream};
  GuardedRecords found = must(must(store_.read(owner_))->records({owner_, 0, 0}, streams, key));
  if (found.records.empty()) return std::nullopt;
  EXPECT_EQ(found.records.size(), 1u);
  return std::move(found.records.front());
}

StreamCounters World::counters(std::string_view stream_name) {
  return must(must(store_.read(owner_))->counters(stream(stream_name)));
}

std::vector<std::string> World::keys(std::string_view stream_name, bool descending, std::int64_t page_size) {
  std::vector<std::string> keys;
  const auto reader = must(store_.read(owner_));
  for (std::string after;;) {
    const std::vector<RecordRow> page = must(reader->page(stream(stream_name), after, descending, page_size));
    EXPECT_LE(static_cast<std::int64_t>(page.size()), page_size);
    for (const RecordRow& row : page) keys.push_back(row.key);
    if (static_cast<std::int64_t>(page.size()) < page_size) return keys;
    after = page.back().order_key;
  }
}

std::vector<std::string> World::changes(const std::vector<std::string>& field_names, std::int64_t since, std::int64_t limit) {
  std::vector<FieldNo> numbers;
  for (const std::string& name : field_names) numbers.push_back(field(name));
  std::vector<std::string> keys;
  std::int64_t last = since;
  for (const ChangeRow& row : must(must(store_.read(owner_))->changes(stream("notes"), numbers, since, kNewest, limit))) {
    EXPECT_GT(row.version, last) << "ascending";
    EXPECT_EQ(row.deleted, row.deleted_at.has_value());
    last = row.version;
    keys.push_back((row.deleted ? "-" : "") + row.key);
  }
  return keys;
}

std::string World::text(const LongRef& ref) {
  if (ref.size_chars == 0) return {};
  const ChunkSpan span = chunk_span(ref, 0, ref.size_chars);
  const auto chunks = must(must(store_.read(owner_))->chunks(ref.text_id, span.first, span.last));
  EXPECT_EQ(static_cast<std::int64_t>(chunks.size()), span.last - span.first + 1);
  return cut_chars(ref, chunks, 0, ref.size_chars);
}

std::string World::whole(const RecordRow& row) {
  std::string out;
  for (json::Members walk(row.body); walk.next();) {
    out += (out.empty() ? "{\"" : ",\"") + std::string(walk.raw_name()) + "\":";
    if (walk.value().kind != json::Kind::kReference) {
      out += walk.value().text;
      continue;
    }
    const LongRef ref = must(parse_reference(walk.value().text));
    if (ref.kind == json::Kind::kString) {
      json::append_string(out, text(ref));
    } else {
      out += text(ref);
    }
  }
  return out.empty() ? "{}" : out + "}";
}

std::int64_t World::stored_chunks(ValueId value) {
  return static_cast<std::int64_t>(must(must(store_.read(owner_))->chunks(value, 0, 1'000'000)).size());
}

void StoreSuite::expect_sound(Store& store) {
  for (const std::string& broken : must(store.check_invariants())) ADD_FAILURE() << broken;
}

std::int64_t StoreSuite::sweep_all(Store& store, Instant now) {
  std::int64_t removed = 0;
  for (int rounds = 0; rounds < 100; ++rounds) {
    const SweepReport report = must(store.sweep(now, Deadline::after(std::chrono::seconds(30))));
    removed += report.values_removed;
    if (report.complete) return removed;
  }
  ADD_FAILURE() << "sweeping does not come to an end";
  return removed;
}

std::string long_text(std::string_view unit, std::int64_t chars) {
  std::string text;
  for (std::int64_t done = 0; done < chars; done += utf8::count(unit)) text += unit;
  return text.substr(0, utf8::offset_of(text, chars));
}

}  // namespace ladder::store
