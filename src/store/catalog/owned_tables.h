// The tables whose rows belong to owners, with the columns of their primary key after the owner. Those of access come first, so
// that an interrupted deletion ends access before it deletes data. A test compares the list with the schema of both engines.
#pragma once

// clang-format off
#define LADDER_OWNED_TABLES(X) \
  X(tokens, "token_no") \
  X(token_grants, "token_no, grant_no") \
  X(grants, "grant_no") \
  X(grant_uses, "grant_no") \
  X(auth_items, "kind, key") \
  X(ledger_items, "kind, key") \
  X(records, "record_no") \
  X(changes, "stream_no, field_no, version") \
  X(tombstones, "record_no") \
  X(index_entries, "index_no, entry") \
  X(index_days, "index_no, day") \
  X(dead_indexes, "index_no") \
  X(indexes, "index_no") \
  X(word_blocks, "segment_no, key") \
  X(word_segments, "segment_no") \
  X(passages, "row_id") \
  X(texts, "text_no") \
  X(word_columns, "stream_no, column_no") \
  X(chunks, "value_id, chunk_no") \
  X(loose_values, "first_value") \
  X(blob_refs, "digest, record_no") \
  X(blobs, "digest") \
  X(imports, "connection_no, unit") \
  X(number_blocks, "first_no") \
  X(streams, "stream_no") \
  X(connections, "connection_no") \
  X(fields, "field_no") \
  X(declarations, "source_no, version") \
  X(sources, "source_no") \
  X(counters, "name")
// clang-format on
