// Decides from the declaration which fields of a stream get an index: those used for range filters, grouping and
// joins, and the record's time.
#pragma once

#include "model/declaration/declaration.h"
#include "store/store.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::server {

// Returns how values of the field compare in filters and indexes; nullopt unless the field has a single scalar type.
std::optional<store::IndexKind> index_kind(const model::Field& field);

std::vector<store::Store::IndexedField> indexed_fields(const model::SourceDeclaration& source, const model::Stream& stream);

// Returns the text fields that are declared for lexical search.
std::vector<std::string> searched_fields(const model::Stream& stream);

}  // namespace ladder::server
