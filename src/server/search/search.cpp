// Searches all granted data, across all grants and sources of the caller (design D14). Streams, fields, times,
// records and conditions are part of the store query, so data outside them cannot affect hits, order or counts (D5).
// The words are then located in the text of each hit as evidence (D4).
#include "server/search/search.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "server/read/list_walk.h"
#include "server/search/search_read.h"
#include "server/shared/attempt.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace ladder::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kInOperator = "in:";
constexpr std::array<std::string_view, 2> kHasAttachment = {"has:attachment", "has:attachments"};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

Status SearchRead::parse() {
  if (request_.also.size() > api::kMaxFurtherWordings) {
    return fail(Code::kInvalidRequest,
                format("also has {} wordings, more than {}: leave some out", request_.also.size(), api::kMaxFurtherWordings),
                "also");
  }
  q_ = request_.q;
  const bool is_timed = request_.since || request_.until;
  if (!is_timed && !request_.match_all) time_words_ = find_time_words(q_, clock_.now());
  const bool is_list = is_timed && !request_.match_all && request_.also.empty() && is_blank(q_);
  if (!is_list) LADDER_CHECK(parse_wordings());
  if (!request_.group.empty()) {
    LADDER_TRY(group_, GroupChoice::parse(request_.group));
  }
  if (!request_.filters.empty() && std::set<std::string>(request_.streams.begin(), request_.streams.end()).size() != 1) {
    return fail(Code::kInvalidRequest, "a filter needs exactly one stream: name it with streams", "streams");
  }
  return {};
}

// Parses the wordings unless the last call did: field names matter only before a colon.
Status SearchRead::parse_wordings() {
  const auto has_colon = [](const std::string& text) { return text.contains(':'); };
  const bool names_fields = has_colon(q_) || std::ranges::any_of(request_.also, has_colon);
  ParsedWordings parsed{q_, names_fields ? fields_ : std::set<std::string>(), {}};
  if (parsed_ && parsed_->q == parsed.q && parsed_->fields == parsed.fields) {
    wordings_ = parsed_->wordings;
    return {};
  }
  const text::WordGrammar grammar{.all = request_.match_all, .fields = parsed.fields, .room = kMaxCountedTerms};
  LADDER_TRY(parsed.wordings.emplace_back(), text::parse_word_query(q_, grammar));
  for (const std::string& wording : request_.also) {
    auto further = text::parse_word_query(wording, grammar);
    if (!further) return fail(further.error().code, std::move(further.error().message), "also");
    parsed.wordings.push_back(*std::move(further));
  }
  wordings_ = parsed.wordings;
  parsed_ = std::move(parsed);
  return {};
}

void SearchRead::add_forms() {
  for (text::WordQuery& wording : wordings_) {
    text::add_word_forms(wording, languages_.value_or(std::vector<text::Language>()));
  }
  query_ = wordings_.front();
}

// Removes `in:name` from the words if it names a searched stream, connection or connector, and `has:attachment` if a
// searched stream declares a field for it. Anything else is text.
void SearchRead::parse_kinds(std::string_view question) {
  q_.clear();
  kinds_.clear();
  has_attachment_ = false;
  const auto tells_attachments = [](const SearchStream* place) { return !place->attachments_field.empty(); };
  const bool can_tell = std::ranges::any_of(plan_->streams(), tells_attachments);
  for (std::string_view rest = question; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::string_view name = word.starts_with(kInOperator) ? word.substr(kInOperator.size()) : std::string_view();
    const bool known = std::ranges::any_of(plan_->streams(), [&](const SearchStream* place) { return place->is_in(name); });
    if (!name.empty() && known) kinds_.emplace(name);
    else if (can_tell && std::ranges::find(kHasAttachment, word) != kHasAttachment.end()) has_attachment_ = true;
    else (q_ += word) += ' ';
  }
  if (kinds_.empty() && !has_attachment_) q_ = question;  // unchanged, so that it is parsed once
}

Status SearchRead::parse_words(std::string_view question) {
  parse_kinds(question);
  const bool is_timed = times_.since || times_.until;
  lists_ = (is_timed || has_attachment_) && !request_.match_all && request_.also.empty() && has_no_search_words(q_);
  if (lists_) wordings_.assign(1, {});
  else LADDER_CHECK(parse_wordings());
  query_ = wordings_.front();
  return {};
}

// The first page parses the time range from the question; later pages take it from the cursor, because the clock has
// moved.
Status SearchRead::choose_times() {
  const std::optional<TimeRange> told = from_ ? from_->times : (time_words_ ? std::optional(time_words_->range) : std::nullopt);
  if (!told) return {};
  if (!time_words_) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
  }
  times_ = *told;
  times_are_words_ = true;
  return parse_words(time_words_->rest);
}

Status SearchRead::aim(const OwnerCatalog& catalog) {
  LADDER_TRY(plan_, plans_.plan(access_, catalog, request_));
  // The declarations of the searched streams define the names allowed before a colon.
  fields_.clear();
  for (const SearchStream* place : plan_->streams()) {
    for (const store::WordColumn& column : place->columns) {
      fields_.insert(column.field);
      for (const std::string_view name : {text::kFromOperator, text::kToOperator}) {
        if (place->is_named(name, column.field)) fields_.emplace(name);
      }
    }
  }
  times_ = {request_.since, request_.until};
  times_are_words_ = false;
  LADDER_CHECK(parse_words(request_.q));
  limit_ = page_limit(request_.limit);
  std::set<std::string> operators = kinds_;
  if (has_attachment_) operators.emplace(kHasAttachment.front());
  binding_ = search_binding(access_, request_, query_, operators);
  changes_ = {};
  languages_.reset();
  if (!request_.cursor.empty()) {
    LADDER_TRY(from_, open_search(sealer_, binding_, request_.cursor));
  }
  LADDER_CHECK(choose_times());
  if (!from_) return {};
  if (wordings_.size() > 1) {
    shown_ = std::move(from_->shown);
    from_.reset();
    return {};
  }
  changes_ = from_->changes;
  if (!lists_) {
    languages_ = changes_.languages;
    add_forms();
  }
  if (!apply(changes_, query_) || from_->weights.terms.size() != query_.terms.size()) {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
  }
  return {};
}

Result<std::optional<api::SearchPage>> SearchRead::read(const OwnerCatalog& catalog) {
  const auto begun = SteadyClock::now();
  LADDER_TRY(const auto reader, store_.read(access_.owner()));
  LADDER_TRY(const bool current, check_grants(*reader, catalog));
  if (!current) return std::nullopt;
  if (live_grants_.size() < plan_->grants().size()) plan_ = plan_->under(live_grants_);
  LADDER_TRY(auto page, search(*reader));
  if (page && SteadyClock::now() - begun > std::chrono::milliseconds(limits::kRecheckAfterMs)) {
    LADDER_TRY(const bool stands, grants_still_valid());
    if (!stands) return std::nullopt;
  }
  return page;
}

// Checks the grants in the snapshot that the search reads. Invalid grants are skipped; if none is valid, returns the
// last error.
Result<bool> SearchRead::check_grants(store::Reader& reader, const OwnerCatalog& catalog) {
  live_grants_.clear();
  if (plan_->grants().empty()) {
    LADDER_TRY(const auto row, reader.records({access_.owner(), access_.token(), 0}, {}, ""));
    LADDER_CHECK(check_access_status(access_, nullptr, row.access_status, clock_.now()));
    return row.access_status.catalog_version == catalog.version();
  }
  std::vector<store::GrantNo> grants;
  for (const auto& held : plan_->grants()) grants.push_back(held->no);
  LADDER_TRY(const auto statuses, reader.access_statuses(access_.owner(), access_.token(), grants));
  Status last;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const HeldGrant* const held = plan_->grants()[i].get();
    if (statuses[i].catalog_version != catalog.version()) return false;
    Status checked = check_access_status(access_, held, statuses[i], clock_.now());
    if (checked) live_grants_.insert(held);
    else last = std::move(checked);
  }
  if (live_grants_.empty()) return std::unexpected(std::move(last).error());
  return true;
}

// Checks every grant used in the response (design D16). If one was revoked meanwhile, the search runs again without
// it.
Result<bool> SearchRead::grants_still_valid() const {
  std::vector<store::GrantNo> grants;
  grants.reserve(live_grants_.size());
  for (const HeldGrant* held : live_grants_) grants.push_back(held->no);
  LADDER_TRY(const auto reader, store_.read(access_.owner()));
  LADDER_TRY(const auto statuses, reader->access_statuses(access_.owner(), access_.token(), grants));
  auto status = statuses.begin();
  return std::ranges::all_of(live_grants_, [&](const HeldGrant* held) {
    return check_access_status(access_, held, *status++, clock_.now()).has_value();
  });
}

Result<api::SearchPage> Search::find(const Access& access, const api::SearchRequest& request, std::stop_token stop) {
  SearchRead read(shared_.store, shared_.clock, shared_.sealer, plans_, access, request, std::move(stop));
  LADDER_CHECK(read.parse());
  return attempt<api::SearchPage>(
      shared_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return hide_damage(access, read.read(catalog)); },
      [] { return static_cast<const HeldGrant*>(nullptr); },
      [&](const api::SearchPage& page) { return disclose(page, request.q); });
}

}  // namespace ladder::server
