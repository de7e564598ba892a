// Canonical record keys: a plain string, or a minified JSON array of strings for compound keys, e.g. ["user_123","2026-04-01"].
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

// From the `key` of a RECORD envelope: a string, number or boolean, or an array of them; components are stringified (numbers
// byte for byte as they stand). kInvalidRecordIdentity when it is empty, of another kind, of the wrong arity for `arity` primary
// key fields, or over kMaxRecordKeyBytes.
Result<std::string> canonical_key(const json::Value& key, std::size_t arity);

// The components of a canonical key. A compound key is recognised by arity > 1.
std::vector<std::string> key_parts(std::string_view canonical, std::size_t arity);
std::string join_key(const std::vector<std::string>& parts);  // one part: itself; several: a minified JSON array

// Every primary key field that is present in `data` must equal its part of the key. kInvalidRecordIdentity names the field.
Status check_identity(const Stream& stream, std::string_view canonical, const json::Value& data);

// Record ids as people and agents write them (design D11, PDPP "record ids"):
//
//   self-contained  {connection_id}/{stream}:{record_id}     split at the first "/", then at the first ":"
//   escaped         {connection_id}/{stream}:/{key}          for keys that cannot stand there as they are (escaped_key)
//   legacy          {stream}:{record_id}                     when there is no "/"
//   handle          pdpp://record/{handle}                   for all that the grammar cannot hold, and accepted everywhere
struct RecordRef {
  std::string connection_id;  // empty when the id does not say
  std::string stream;
  std::string record_id;

  friend bool operator==(const RecordRef&, const RecordRef&) = default;
};

// Not empty, no "/", no "\", not ".", no ".." anywhere, within kMaxRecordKeyBytes.
bool is_safe_name(std::string_view name);

// Any of the four forms. kInvalidId naming the segment at fault; kInvalidHandle for a bad handle.
Result<RecordRef> parse_record_id(std::string_view text);

// The visible id: self-contained when every part is safe (and the connection and stream hold no ":"), with the key escaped where
// only that is not, legacy when the connection is not known, else the pdpp://record/ handle. Controls and invisible direction
// marks in a key are escaped, too: ids stand in lines of text unchanged, and such a key could forge a line. Whatever it returns,
// parse_record_id gives the same RecordRef back, except for parts that nobody can name: ".", "..", empty or over-long ones, text
// that is not UTF-8.
std::string format_record_id(const RecordRef& ref);

// The identity arguments of a field read: an id, or the complete triple, or an id with equal parts of the triple.
struct IdentityArguments {
  std::optional<std::string> id = {}, connection_id = {}, stream = {}, record_id = {};
};
// kInvalidId when neither form is complete, when `id` comes with the complete triple, or when a part disagrees. An id that names
// no connection is complete only together with connection_id.
// kConflictingConnection when connection_id disagrees with the one inside the id.
Result<RecordRef> resolve_identity(const IdentityArguments& arguments);

// Keys that cannot stand in an id as they are ("/", "\\", ".."), written so that they can (design D11):
//
//   {connection_id}/{stream}:/{escaped}     the "/" behind the ":" says so; no id had one there before

// "/", "\\", the second of two dots, "%" and whatever deceives the eye as %XX; everything else as it is. Of valid UTF-8.
std::string escaped_key(std::string_view key);

// The key behind such an escape; nothing for a text that escaped_key does not write, or for a key that needs no escapes: every
// record has one id.
std::optional<std::string> unescaped_key(std::string_view text);

// It breaks a line, hides or turns the text around it.
bool deceives(char32_t c);

}  // namespace ladder::model
