// Canonical record keys: a plain string, or a minified JSON array of strings for compound keys, e.g. ["user_123","2026-04-01"].
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

// Converts the `key` of a RECORD envelope: a string, number or boolean, or an array of them; components become strings
// (numbers byte for byte). kInvalidRecordIdentity if it is empty, of another kind, of the wrong arity for `arity`
// primary key fields, or over kMaxRecordKeyBytes.
Result<std::string> canonical_key(const json::Value& key, std::size_t arity);

// The components of a canonical key. A key is compound if arity > 1.
std::vector<std::string> key_parts(std::string_view canonical, std::size_t arity);
std::string join_key(const std::vector<std::string>& parts);  // one part: itself; several: a minified JSON array

// Checks that every field of `primary_key` present in `data` equals its part of the key. kInvalidRecordIdentity names the
// field.
Status check_identity(const std::vector<std::string>& primary_key, std::string_view canonical, const json::Value& data);

// Record ids as written by people and agents (design D11, PDPP "record ids"):
//
//   self-contained  {connection_id}/{stream}:{record_id}     split at the first "/", then at the first ":"
//   escaped         {connection_id}/{stream}:/{key}          for keys that need escapes (escaped_key)
//   legacy          {stream}:{record_id}                     when there is no "/"
//   handle          pdpp://record/{handle}                   for everything outside the grammar; accepted everywhere
struct RecordRef {
  std::string connection_id;  // empty if the id does not contain it
  std::string stream;
  std::string record_id;

  friend bool operator==(const RecordRef&, const RecordRef&) = default;
};

// Not empty, no "/", no "\", not ".", no ".." anywhere, within kMaxRecordKeyBytes.
bool is_safe_name(std::string_view name);

// Parses any of the four forms. kInvalidId naming the invalid segment; kInvalidHandle for an invalid handle.
Result<RecordRef> parse_record_id(std::string_view text);

// The visible id: self-contained if every part is safe (and the connection and stream have no ":"), with the key
// escaped if only the key is unsafe, legacy if the connection is unknown, else the pdpp://record/ handle. Control
// characters and invisible direction marks in a key are escaped too: ids are inserted into lines of text unchanged, and
// such a key could forge a line. parse_record_id returns the same RecordRef for every result, except for invalid parts:
// ".", "..", empty or over-long ones, text that is not UTF-8.
std::string format_record_id(const RecordRef& ref);

// The identity arguments of a field read: an id, or the complete triple, or an id with equal parts of the triple.
struct IdentityArguments {
  std::optional<std::string> id = {}, connection_id = {}, stream = {}, record_id = {};
};
// kInvalidId if neither form is complete, if `id` comes with the complete triple, or if a part differs. An id without a
// connection is complete only together with connection_id. kConflictingConnection if connection_id differs from the one
// in the id.
Result<RecordRef> resolve_identity(const IdentityArguments& arguments);

// Escapes keys that an id cannot contain unchanged ("/", "\\", ".."), see design D11:
//
//   {connection_id}/{stream}:/{escaped}     marked by the "/" after the ":", which no other id contains

// Writes "/", "\\", the second of two dots, "%" and deceptive characters as %XX; all others unchanged. For valid UTF-8.
std::string escaped_key(std::string_view key);

// The key of such an escape; nullopt for a text that escaped_key does not produce, and for a key that needs no escapes:
// every record has one id.
std::optional<std::string> unescaped_key(std::string_view text);

// Returns whether the character breaks a line or hides or reorders the surrounding text.
bool is_deceptive(char32_t c);

}  // namespace ladder::model
