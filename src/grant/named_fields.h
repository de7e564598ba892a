// The fields of a grant that the owner named, and those that came with them because the declaration requires them (PDPP "making a
// grant"). A grant's body is closed and holds the resolved fields alone, so the names are kept beside it; of a grant that has
// none there they are worked out from the order of its fields.
#pragma once

#include "grant/grant.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::grant {

// The fields of one stream of a grant, each in one of the two lists, in the grant's order.
struct FieldOrigin {
  std::string stream;
  bool all = false;  // no field was named, so every declared one was granted; all are in `named`
  std::vector<std::string> named;
  std::vector<std::string> added;           // required by the declaration, named by nobody
  std::vector<std::string> content;         // those of `added` that are no part of the primary key
  std::vector<std::string> still_required;  // those of `content` that the current declaration requires, too

  bool is_added(std::string_view field) const;
};

// The request to make_grant as JSON: {"notes":["title"],"files":[]}; [] is every field.
std::string named_fields_json(const Grant& grant, const Selection& selection);

// One entry per stream of the grant. `named_json` is empty when nothing was kept: then what stands at the end of the fields as
// the declaration would have added it counts as added, also where the owner named it last. `then` is the declaration the grant
// was made from, `now` the current one; either may be null when it is not known.
std::vector<FieldOrigin> field_origins(const Grant& grant, std::string_view named_json, const model::SourceDeclaration* then,
                                       const model::SourceDeclaration* now);

}  // namespace ladder::grant
