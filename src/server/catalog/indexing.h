// Picks the fields of a stream that are worth an index, decided from the declaration alone: what may be filtered by range,
// grouped, joined or is the record's time.
#pragma once

#include "model/declaration/declaration.h"
#include "store/store.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::server {

// How values of the field compare, in filters and indexes alike; nullopt when it is not of one scalar type.
std::optional<store::IndexKind> index_kind(const model::Field& field);

std::vector<store::Store::IndexedField> indexed_fields(const model::SourceDeclaration& source, const model::Stream& stream);

// Fields whose words are found: those declared for lexical search that are text.
std::vector<std::string> searched_fields(const model::Stream& stream);

}  // namespace ladder::server
