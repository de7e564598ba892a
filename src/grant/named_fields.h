// The fields of a grant that the owner named, and those added because the declaration requires them (PDPP "making a
// grant"). The closed body of a grant contains only the resolved fields, so the names are stored next to it. For a
// grant without stored names they are inferred from the order of its fields.
#pragma once

#include "grant/grant.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::grant {

// The fields of one stream of a grant, each in `named` or `added`, in the grant's order.
struct FieldOrigin {
  std::string stream;
  bool all = false;  // no field was named, so every declared one was granted; all are in `named`
  std::vector<std::string> named;
  std::vector<std::string> added;           // required by the declaration, not named by the owner
  std::vector<std::string> content;         // fields in `added` outside the primary key
  std::vector<std::string> still_required;  // fields in `content` that the current declaration also requires

  bool is_added(std::string_view field) const;
};

// The fields requested from make_grant as JSON: {"notes":["title"],"files":[]}; [] means every field.
std::string named_fields_json(const Grant& grant, const Selection& selection);

// One entry per stream of the grant. `named_json` is empty if no names were stored: then trailing fields that the
// declaration would have added in this order count as added, even if the owner named them last. `then` is the
// declaration that the grant was created from, `now` the current one; either may be null if unknown.
std::vector<FieldOrigin> field_origins(const Grant& grant, std::string_view named_json, const model::SourceDeclaration* then,
                                       const model::SourceDeclaration* now);

}  // namespace ladder::grant
