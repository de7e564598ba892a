// The tables of a store. Numbers are INTEGER, names are TEXT, and values compared byte by byte are BLOB. Columns that
// are read without a long body precede it, so that the body's overflow pages are not read.
//
// Every key begins with the owner (design D36). Tables with long rows have row ids and their key in an index, because
// rows of more than 1,002 bytes spill in a table without row ids. Record numbers, text numbers and value ids are counted per
// owner; the numbers of the catalog, of grants and of tokens are unique in the store.
#pragma once

namespace ladder::store::sqlite {

inline constexpr const char* kSchema = R"sql(
CREATE TABLE owners(
  owner_no INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  catalog_version INTEGER NOT NULL,
  suspended_at INTEGER, -- NULL: the owner has access
  max_records INTEGER NOT NULL DEFAULT 0, -- limits, 0: none
  max_bytes INTEGER NOT NULL DEFAULT 0,
  max_requests_per_minute INTEGER NOT NULL DEFAULT 0,
  max_requests_at_once INTEGER NOT NULL DEFAULT 0);

-- the next record number and value id of each owner
CREATE TABLE counters(
  owner_no INTEGER NOT NULL,
  name TEXT NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY(owner_no, name)) WITHOUT ROWID;

CREATE TABLE sources(
  owner_no INTEGER NOT NULL,
  source_no INTEGER NOT NULL,
  key TEXT NOT NULL,
  source_id TEXT NOT NULL,
  version TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  declaration TEXT NOT NULL,
  PRIMARY KEY(owner_no, source_no),
  UNIQUE(owner_no, key),
  UNIQUE(owner_no, source_id));

-- every declaration of a source, past and present: a version can never change its text
CREATE TABLE declarations(
  owner_no INTEGER NOT NULL,
  source_no INTEGER NOT NULL,
  version TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY(owner_no, source_no, version));

CREATE TABLE fields(
  owner_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  source_no INTEGER NOT NULL,
  stream BLOB NOT NULL,
  name BLOB NOT NULL,
  index_kind INTEGER NOT NULL DEFAULT 0, -- 0: not indexed
  searched INTEGER NOT NULL DEFAULT 0, -- 1: its words are found
  PRIMARY KEY(owner_no, field_no),
  UNIQUE(owner_no, source_no, stream, name)) WITHOUT ROWID;

CREATE TABLE connections(
  owner_no INTEGER NOT NULL,
  connection_no INTEGER NOT NULL,
  source_no INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  display_name BLOB NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY(owner_no, connection_no),
  UNIQUE(owner_no, connection_id)) WITHOUT ROWID;
CREATE INDEX connections_by_source ON connections(owner_no, source_no);

-- record numbers [next_record_no, block_end) are the unused rest of the stream's newest block, text numbers [next_text, text_end)
-- that of its newest text block. word_generation identifies a set of word columns, over all streams; 0: no columns so far.
-- words_upto: NULL when all records have the words of their columns, otherwise the last key that does ('': none yet)
CREATE TABLE streams(
  owner_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  connection_no INTEGER NOT NULL,
  name BLOB NOT NULL,
  record_count INTEGER NOT NULL DEFAULT 0,
  max_version INTEGER NOT NULL DEFAULT 0,
  next_record_no INTEGER NOT NULL DEFAULT 0,
  block_end INTEGER NOT NULL DEFAULT 0,
  next_text INTEGER NOT NULL DEFAULT 0,
  text_end INTEGER NOT NULL DEFAULT 0,
  word_generation INTEGER NOT NULL DEFAULT 0,
  words_upto BLOB,
  PRIMARY KEY(owner_no, stream_no),
  UNIQUE(owner_no, connection_no, name)) WITHOUT ROWID;

CREATE TABLE number_blocks(
  owner_no INTEGER NOT NULL,
  first_no INTEGER NOT NULL,
  size INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- 0 record numbers, 1 text numbers
  PRIMARY KEY(owner_no, first_no)) WITHOUT ROWID;
CREATE INDEX number_blocks_by_stream ON number_blocks(owner_no, stream_no, kind, first_no);

-- word_mask: columns whose words are indexed; text_no: the text number of its words, or 0. sum: a checksum (row_sums.h).
-- raw_size: NULL when stored_body is not compressed
CREATE TABLE records(
  owner_no INTEGER NOT NULL,
  record_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  order_key BLOB NOT NULL,
  version INTEGER NOT NULL,
  digest BLOB NOT NULL,
  emitted_at TEXT NOT NULL,
  consent_time INTEGER,
  field_versions BLOB NOT NULL,
  first_value INTEGER NOT NULL,
  value_count INTEGER NOT NULL,
  word_mask INTEGER NOT NULL,
  text_no INTEGER NOT NULL,
  sum INTEGER,
  raw_size INTEGER,
  stored_body BLOB NOT NULL,
  PRIMARY KEY(owner_no, record_no));
CREATE UNIQUE INDEX records_by_key ON records(owner_no, stream_no, key);
CREATE INDEX records_by_order ON records(owner_no, stream_no, order_key);

CREATE TABLE tombstones(
  owner_no INTEGER NOT NULL,
  record_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  version INTEGER NOT NULL,
  created INTEGER NOT NULL, -- the version the record came with
  consent_time INTEGER,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY(owner_no, record_no)) WITHOUT ROWID;
CREATE UNIQUE INDEX tombstones_by_key ON tombstones(owner_no, stream_no, key);
CREATE INDEX tombstones_by_time ON tombstones(owner_no, deleted_at);

-- one entry per record and field, at its newest version; field 0 stands for creation or deletion
CREATE TABLE changes(
  owner_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, stream_no, field_no, version)) WITHOUT ROWID;

-- upto: NULL when all records are indexed, otherwise the last key that is ('': none yet)
CREATE TABLE indexes(
  owner_no INTEGER NOT NULL,
  index_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  upto BLOB,
  PRIMARY KEY(owner_no, index_no),
  UNIQUE(owner_no, stream_no, field_no)) WITHOUT ROWID;

-- dropped indexes whose entries the sweep has not removed yet
CREATE TABLE dead_indexes(
  owner_no INTEGER NOT NULL,
  index_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, index_no)) WITHOUT ROWID;

CREATE TABLE index_entries(
  owner_no INTEGER NOT NULL,
  index_no INTEGER NOT NULL,
  entry BLOB NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, index_no, entry)) WITHOUT ROWID;

CREATE TABLE index_days(
  owner_no INTEGER NOT NULL,
  index_no INTEGER NOT NULL,
  day INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY(owner_no, index_no, day)) WITHOUT ROWID;

CREATE TABLE blob_refs(
  owner_no INTEGER NOT NULL,
  digest BLOB NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, digest, record_no)) WITHOUT ROWID;

CREATE TABLE chunks(
  owner_no INTEGER NOT NULL,
  value_id INTEGER NOT NULL,
  chunk_no INTEGER NOT NULL,
  sum INTEGER,
  raw_size INTEGER,
  stored BLOB NOT NULL,
  PRIMARY KEY(owner_no, value_id, chunk_no));

CREATE TABLE directory(
  owner_no INTEGER NOT NULL,
  value_id INTEGER NOT NULL,
  first INTEGER NOT NULL,
  sum INTEGER,
  page BLOB NOT NULL,
  PRIMARY KEY(owner_no, value_id, first)) WITHOUT ROWID;

-- sets of values that no record refers to: state 0 staged, 1 dead. word_generation: the epoch of the columns for which the words
-- were staged, or 0; uses: the set whose chunks are needed to remove the words of this set's texts, or 0
CREATE TABLE loose_values(
  owner_no INTEGER NOT NULL,
  first_value INTEGER NOT NULL,
  value_count INTEGER NOT NULL,
  state INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  word_generation INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY(owner_no, first_value)) WITHOUT ROWID;

CREATE TABLE grants(
  owner_no INTEGER NOT NULL,
  grant_no INTEGER NOT NULL,
  grant_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  single_use INTEGER NOT NULL,
  body TEXT NOT NULL,
  named BLOB NOT NULL, -- the fields that the owner named
  PRIMARY KEY(owner_no, grant_no),
  UNIQUE(owner_no, grant_id));

-- written often, so not a column of grants
CREATE TABLE grant_uses(
  owner_no INTEGER NOT NULL,
  grant_no INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY(owner_no, grant_no)) WITHOUT ROWID;

-- A request has a token before its owner is known, so the hash is found without one.
CREATE TABLE tokens(
  owner_no INTEGER NOT NULL,
  token_no INTEGER NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  kind INTEGER NOT NULL,
  client_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY(owner_no, token_no));

CREATE TABLE token_grants(
  owner_no INTEGER NOT NULL,
  token_no INTEGER NOT NULL,
  grant_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, token_no, grant_no)) WITHOUT ROWID;

CREATE TABLE blobs(
  owner_no INTEGER NOT NULL,
  digest BLOB NOT NULL,
  size_bytes INTEGER NOT NULL,
  mime_type TEXT NOT NULL,
  value_id INTEGER NOT NULL,
  sum INTEGER,
  PRIMARY KEY(owner_no, digest)) WITHOUT ROWID;

-- reports of imports
CREATE TABLE imports(
  owner_no INTEGER NOT NULL,
  connection_no INTEGER NOT NULL,
  unit TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(owner_no, connection_no, unit)) WITHOUT ROWID;

-- sign-in and authorization (auth_store.h): items are found before an owner has signed in, and some never get one
CREATE TABLE auth_items(
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  owner_no INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  version INTEGER NOT NULL,
  PRIMARY KEY(kind, key)) WITHOUT ROWID;
CREATE INDEX auth_items_by_owner ON auth_items(owner_no, kind, created_at);
CREATE INDEX auth_items_by_end ON auth_items(expires_at) WHERE expires_at IS NOT NULL;

-- the disclosure ledger (ledger_store.h)
CREATE TABLE ledger_items(
  owner_no INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  version INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(owner_no, kind, key));

-- searched fields: 0 ready, 1 building, 2 dropping
CREATE TABLE word_columns(
  owner_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  column_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  state INTEGER NOT NULL,
  PRIMARY KEY(owner_no, stream_no, column_no)) WITHOUT ROWID;

-- text numbers of records whose words need several rows; record_no 0: the text is hidden and belongs to the set of values
-- `loose`. shared: the record has more than one
CREATE TABLE texts(
  owner_no INTEGER NOT NULL,
  text_no INTEGER NOT NULL,
  record_no INTEGER NOT NULL,
  loose INTEGER NOT NULL,
  shared INTEGER NOT NULL,
  PRIMARY KEY(owner_no, text_no)) WITHOUT ROWID;
CREATE INDEX texts_by_record ON texts(owner_no, record_no) WHERE record_no <> 0;
CREATE INDEX texts_by_loose ON texts(owner_no, loose) WHERE loose <> 0;
CREATE INDEX texts_shared ON texts(owner_no, text_no) WHERE shared <> 0;

-- the row has the words of characters [start_char, end_char) of a value, or of a short field if value_id is 0
CREATE TABLE passages(
  owner_no INTEGER NOT NULL,
  row_id INTEGER NOT NULL,
  value_id INTEGER NOT NULL,
  column_no INTEGER NOT NULL,
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  PRIMARY KEY(owner_no, row_id)) WITHOUT ROWID;

-- the word index (store/postings). into_no: the segment that this one is being merged into, its own number if others are
-- being merged into it, 0 without a merge
CREATE TABLE word_segments(
  owner_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  blocks INTEGER NOT NULL,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  into_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, segment_no)) WITHOUT ROWID;

CREATE TABLE word_blocks(
  owner_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  block BLOB NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY(owner_no, segment_no, key));

-- rows of a stream whose words the sweep removes from all blocks once the stream has no records; its position so far
CREATE TABLE word_purges(
  owner_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY(owner_no, stream_no, first_row)) WITHOUT ROWID;

INSERT INTO meta(key, value) VALUES('next_owner_no', 1), ('next_source_no', 1), ('next_connection_no', 1), ('next_stream_no', 1), ('next_field_no', 16),
  ('next_index_no', 1), ('next_word_generation', 1), ('next_grant_no', 1), ('next_token_no', 1);
)sql";

}  // namespace ladder::store::sqlite
