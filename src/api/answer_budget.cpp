#include "api/answer_budget.h"

#include "api/records.h"
#include "api/search.h"

#include <algorithm>

namespace ladder::api {

std::size_t AnswerBudget::fitting_records(const RecordsPage& page) { return page.records.size(); }
std::size_t AnswerBudget::fitting_hits(const SearchPage& page) { return page.hits.size(); }

std::size_t records_to_keep(AnswerBudget* budget, const RecordsPage& page) {
  const std::size_t all = page.records.size();
  return budget && all > 0 ? std::clamp<std::size_t>(budget->fitting_records(page), 1, all) : all;
}

std::size_t hits_to_keep(AnswerBudget* budget, const SearchPage& page) {
  const std::size_t all = page.hits.size();
  return budget && all > 0 ? std::clamp<std::size_t>(budget->fitting_hits(page), 1, all) : all;
}

}  // namespace ladder::api
