// Record ids as people and agents write them (design D11, seed 001):
//
//   self-contained  {connection_id}/{stream}:{record_id}     split at the first "/", then at the first ":"
//   escaped         {connection_id}/{stream}:/{key}          for keys that cannot stand there as they are (model/escaped_key.h)
//   legacy          {stream}:{record_id}                     when there is no "/"
//   handle          pdpp://record/{handle}                   for all that the grammar cannot hold, and accepted everywhere
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

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

}  // namespace ladder::model
