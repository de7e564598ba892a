// Responses depend on granted data only (design D5): two worlds that differ outside a grant answer thousands of random
// calls the same, except for request ids and sealed texts, which are compared by presence and length and then followed.
#include "property/leaky_store.h"
#include "property/twin_worlds.h"

#include "server/search/search_group.h"
#include "support/store_fixture.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>

namespace ladder {
namespace {

using test_support::Answer;
using test_support::GrantShape;
using test_support::SearchLeak;
using test_support::World;

const Instant kSince = *parse_time("2025-01-01T00:00:00Z"), kUntil = *parse_time("2026-01-01T00:00:00Z");

std::vector<GrantShape> shapes() {
  std::vector<GrantShape> all;
  GrantShape whole{"whole", {}, {"id", "title", "shelf", "pages", "lent", "read_at", "bought_at"}, {"home", "cabin"}, {}, {}, {}};
  GrantShape timed{"timed", {}, {"id", "title", "pages", "read_at"}, {"home", "cabin"}, kSince, kUntil, {}};
  GrantShape keyed{"without the cursor field", {}, {"id", "title", "lent", "bought_at"}, {"home"}, kSince, {}, {}};
  GrantShape named{"named", {}, {"id", "shelf", "read_at"}, {"home"}, {}, {}, {"s1", "s2", "s3", "s5", "s8"}};
  for (GrantShape* shape : {&whole, &timed, &keyed, &named}) {
    for (const std::string& connection : shape->connections) {
      shape->streams.push_back({connection, "books", shape->fields, shape->since, shape->until, shape->records});
    }
    if (shape == &whole) shape->streams.push_back({"home", "loans", {"id", "book", "at"}, {}, {}, {}});
    all.push_back(*shape);
  }
  return all;
}

// Replaces the sealed text or id after each `mark` by its length, or removes it.
std::string without(const std::string& text, std::string_view mark, bool length) {
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  std::string out;
  std::size_t at = 0;
  for (std::size_t next = text.find(mark); next != std::string::npos; next = text.find(mark, at)) {
    const std::size_t begin = next + mark.size();
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), belongs) - text.begin());
    out.append(text, at, begin - at);
    out += length ? format("<{}>", end - begin) : "<>";
    at = end;
  }
  return out.append(text, at);
}

// Replaces sealed texts by their length and removes request ids and grant ids.
std::string comparable(std::string body) {
  for (const std::string_view id : {"\"request_id\":\"", "\"grt_"}) body = without(body, id, false);
  for (const std::string_view sealed : {"_cursor\":\"", "next_changes_since\":\"", "cursor=", "changes_since="}) {
    body = without(body, sealed, true);
  }
  return body;
}

std::string sealed_in(const std::string& body, std::string_view name) {
  const std::string mark = "\"" + std::string(name) + "\":\"";
  const std::size_t at = body.find(mark);
  if (at == std::string::npos) return {};
  return body.substr(at + mark.size(), body.find('"', at + mark.size()) - at - mark.size());
}

class Noninterference : public ::testing::TestWithParam<std::string> {
 protected:
  // A deliberate leak: changes the second world's response.
  using Leak = std::function<void(const std::string& target, Answer& first, Answer& second)>;

  // Counts the calls with different responses; stops at the first one for a deliberate leak.
  int differences(const GrantShape& shape, int calls, unsigned seed, const Leak& leak = nullptr,
                  SearchLeak search_leak = SearchLeak::kNone);

 private:
  struct Pair {
    std::string first, second;  // the same text as each world sealed it
  };
  struct Follow {
    std::string target;  // up to the sealed text
    Pair sealed;
  };

  static std::string random_target(std::mt19937& random);
  void change_both(std::mt19937& random, const GrantShape& shape, World& first, World& second);

  std::vector<std::pair<std::string, std::string>> shown_;
  int emitted_ = 0;
};

std::unique_ptr<store::Store> open(const test_support::StoreLocation& place, SearchLeak leak) {
  if (leak == SearchLeak::kNone) return place.open();
  return std::make_unique<test_support::LeakyStore>(place.open(), leak);
}

std::string pick(std::mt19937& random, std::initializer_list<std::string> from) {
  return *(from.begin() + static_cast<std::ptrdiff_t>(random() % from.size()));
}

// Applies the same visible change to both worlds.
void Noninterference::change_both(std::mt19937& random, const GrantShape& shape, World& first, World& second) {
  const auto one_of = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::string connection = shape.connections[one_of(static_cast<unsigned>(shape.connections.size()))];
  const std::string id = format("s{}", one_of(30));
  const bool allowed = shape.records.empty() || std::ranges::find(shape.records, id) != shape.records.end();
  if (!allowed) return;
  const std::pair<std::string, std::string> name{connection, id};
  const auto known = std::ranges::find(shown_, name);
  if (known != shown_.end() && one_of(5) == 0) {
    for (World* world : {&first, &second}) world->delete_shown(connection, id);
    shown_.erase(known);
    return;
  }
  std::string members;
  const auto add = [&](std::string_view field, const std::string& value) {
    if (std::ranges::find(shape.fields, field) == shape.fields.end()) return;
    members += format("{}\"{}\":{}", members.empty() ? "" : ",", field, value);
  };
  add("title", format("\"title {} {}\"", one_of(9), std::string(one_of(3) == 0 ? 6'000 : 5, 't')));
  add("shelf", one_of(3) == 0 ? "null" : format("\"shelf {}\"", one_of(4)));
  add("pages", std::to_string(one_of(500)));
  add("lent", one_of(2) == 0 ? "true" : "false");
  if (one_of(4) != 0) add("read_at", format("\"2025-{:02}-{:02}T10:00:00Z\"", 1 + one_of(12), 1 + one_of(28)));
  add("bought_at", format("\"2025-{:02}-{:02}T10:00:00Z\"", 1 + one_of(12), 1 + one_of(28)));
  ++emitted_;
  const std::string emitted_at = format("2026-01-01T{:02}:{:02}:00Z", emitted_ / 60 % 24, emitted_ % 60);
  for (World* world : {&first, &second}) world->put_shown(connection, id, members, emitted_at);
  if (known == shown_.end()) shown_.push_back(name);
}

// The name by which search groups the books of one shelf at home.
std::string group_of_shelf(unsigned long number) {
  const server::GroupRule rule{"shelf", {"shelf"}};
  store::RecordRow record;
  record.body = format(R"({{"shelf":"shelf {}"}})", number);
  return server::group_id(server::groups_of(rule, "home", record), std::nullopt, {});
}

std::string random_search(std::mt19937& random) {
  const std::string word = pick(random, {"title", "shelf", "hidden", "tttt*", "tit*", "sss*", std::to_string(random() % 9)});
  const std::string more =
      pick(random, {"", "", "%20title", "%20-shelf", "%20-hidden", "%20-title", "%203", "%20%22title%203%22"});
  std::string target = "/v1/search?q=" + word + more + "&limit=" + std::to_string(1 + random() % 5);
  target += pick(random, {"", "", "&streams=books", "&streams=loans", "&streams=covers", "&streams=nothing",
                          "&streams=books&filter[lent]=true", "&streams=books&filter[shelf]=shelf%201",
                          "&streams=books&filter[secret]=x", "&streams=books&filter[pages][gte]=250"});
  target += pick(random, {"", "", "", "&order=newest", "&order=oldest", "&match=all", "&since=2025-06-01", "&until=2025-06-01"});
  if (random() % 6 == 0) target += "&group=" + group_of_shelf(random() % 4);
  return target;
}

std::string Noninterference::random_target(std::mt19937& random) {
  const auto one_of = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::string stream = pick(random, {"books", "books", "books", "books", "loans", "covers", "notes", "nothing"});
  const std::string id = pick(random, {"s", "h"}) + std::to_string(one_of(40));
  const std::string field = pick(random, {"title", "pages", "shelf", "secret", "read_at", "bought_at", "nothing", "lent"});
  const std::string connection =
      one_of(3) == 0 ? "&connection_id=" + pick(random, {"home", "cabin", "attic", "work", "nowhere"}) : "";
  std::string target;
  switch (one_of(12)) {
    case 0:
      return pick(random, {"/v1/schema", "/v1/schema?view=compact", "/v1/streams", "/v1/connectors",
                           "/v1/schema?detail=full&stream=" + stream, "/v1/schema?stream=" + stream + connection,
                           "/v1/streams/" + stream});
    case 1:
      return "/v1/streams/" + stream + "/records/" + id + "?" + (one_of(2) == 0 ? "fields=" + field : "x_none=") + connection;
    case 2:
      return "/v1/streams/books/records/" + id + "?max_field_chars=" + std::to_string(one_of(200)) + connection;
    case 3:
      return "/v1/streams/" + stream + "/records/" + id + "/field-window?field=" + field +
             pick(random, {"", "&offset_chars=100", "&limit_chars=50", "&q=ttt", "&q=hidden"}) + connection;
    case 4:
      return "/v1/streams/books/aggregate?metric=" +
             pick(random, {"count", "count&group_by=shelf", "count&group_by=lent", "sum&field=pages", "min&field=bought_at",
                           "max&field=pages", "count_distinct&field=title", "count&group_by_time=bought_at&granularity=month",
                           "count&group_by_time=read_at&granularity=week&time_zone=Asia/Tokyo"}) +
             connection;
    case 5:
      return "/v1/streams/books/records?changes_since=beginning&limit=" + std::to_string(1 + one_of(9)) + connection;
    case 6:
      return "/v1/blobs/blob_sha256_" + std::string(64, static_cast<char>('0' + one_of(10)));
    case 7:
    case 8:
      return random_search(random) + connection;
    default:
      break;
  }
  target =
      "/v1/streams/" + stream + "/records?limit=" + std::to_string(1 + one_of(40)) + "&order=" + pick(random, {"asc", "desc"});
  if (one_of(3) == 0) target += "&count=exact";
  if (one_of(4) == 0) target += "&window=exact";
  if (one_of(4) == 0) target += "&fields=id," + field;
  if (one_of(5) == 0) target += "&max_bytes=" + std::to_string(200 + one_of(5'000));
  if (one_of(4) == 0) target += "&expand=" + pick(random, {"loans", "cover", "nothing"});
  if (one_of(2) == 0) {
    target +=
        pick(random, {"&filter[shelf]=shelf%201", "&filter[lent]=true", "&filter[pages][gte]=" + std::to_string(one_of(500)),
                      "&filter[pages]=" + std::to_string(one_of(500)), "&filter[bought_at][gte]=2025-06-01",
                      "&filter[read_at][lt]=2025-06-01", "&filter[secret]=x", "&filter[title]=title%201%20ttttt"});
  }
  return target + connection;
}

int Noninterference::differences(const GrantShape& shape, int calls, unsigned seed, const Leak& leak, SearchLeak search_leak) {
  shown_.clear();
  test_support::StillClock clock;
  const test_support::StoreLocation first_place(GetParam()), second_place(GetParam());
  World first(open(first_place, search_leak), clock, seed * 2), second(open(second_place, search_leak), clock, seed * 2 + 1);
  for (World* world : {&first, &second}) world->grant(shape);
  std::mt19937 random(seed);
  std::vector<Follow> follow;
  int different = 0;
  for (int call = 0; call < calls; ++call) {
    if (call % 40 == 0) {
      for (World* world : {&first, &second}) world->change_hidden_data(shown_);
      for (int i = 0; i < (call == 0 ? 60 : 4); ++i) change_both(random, shape, first, second);
      for (World* world : {&first, &second}) world->change_hidden_data(shown_);
    }
    Follow next{random_target(random), {}};
    if (!follow.empty() && random() % 3 == 0) {
      const std::size_t at = random() % follow.size();
      next = follow[at];
      if (random() % 2 == 0) follow.erase(follow.begin() + static_cast<std::ptrdiff_t>(at));
    }
    Answer of_first = first.ask(next.target + next.sealed.first), of_second = second.ask(next.target + next.sealed.second);
    if (leak) leak(next.target, of_first, of_second);
    if (of_first.status != of_second.status || comparable(of_first.body) != comparable(of_second.body)) {
      ++different;
      if (leak || search_leak != SearchLeak::kNone) return different;  // the leak was found
      ADD_FAILURE() << shape.name << ": " << next.target << "\n"
                    << of_first.status << " " << comparable(of_first.body) << "\n"
                    << of_second.status << " " << comparable(of_second.body);
      if (different > 3) return different;
    }
    const bool is_list = next.target.starts_with("/v1/streams/books/records?");
    const std::string_view names[] = {"next_cursor", "previous_cursor", "next_changes_since"};
    for (const std::string_view name : names) {
      const Pair sealed{sealed_in(of_first.body, name), sealed_in(of_second.body, name)};
      if (sealed.first.empty() || sealed.second.empty() || follow.size() > 60) continue;
      const std::size_t connection = next.target.find("&connection_id=");
      const std::string scope = connection == std::string::npos
                                    ? ""
                                    : next.target.substr(connection, next.target.find('&', connection + 1) - connection);
      if (is_list && name == "next_changes_since") {
        follow.push_back({"/v1/streams/books/records?limit=3" + scope + "&changes_since=", sealed});
      } else if (is_list && next.target.find("changes_since=") != std::string::npos) {
        follow.push_back({"/v1/streams/books/records?limit=3" + scope + "&cursor=", sealed});
      } else if (next.target.find("&cursor=") == std::string::npos) {
        follow.push_back({next.target.substr(0, next.target.find("&offset_chars")) + "&cursor=", sealed});
      } else {
        follow.push_back({next.target, sealed});
      }
    }
  }
  return different;
}

TEST_P(Noninterference, UngrantedDataChangesNoResponse) {
  const int calls = std::getenv("LADDER_TEST_ALL") != nullptr ? 6'000 : 500;
  unsigned seed = 1;
  for (const GrantShape& shape : shapes()) EXPECT_EQ(differences(shape, calls, seed++), 0) << shape.name;
}

// The comparison detects the leaks known from similar servers.
TEST_P(Noninterference, KnownLeaksAreFound) {
  const GrantShape shape = shapes()[1];
  const Leak stored_size = [](const std::string& target, Answer& first, Answer& second) {
    if (target.find("/records/") == std::string::npos || first.status != 200) return;
    first.body.insert(first.body.size() - 1, ",\"stored_bytes\":900");
    second.body.insert(second.body.size() - 1, ",\"stored_bytes\":901");
  };
  const Leak missing_stream = [](const std::string& target, Answer&, Answer& second) {
    if (target.find("/notes") != std::string::npos && second.status == 403) second.status = 404;
  };
  const Leak total_count = [](const std::string& target, Answer&, Answer& second) {
    const std::size_t at = second.body.find("\"count\":{\"kind\":\"exact\",\"value\":");
    if (target.find("count=exact") != std::string::npos && at != std::string::npos) second.body.insert(at + 32, "1");
  };
  EXPECT_GT(differences(shape, 1'000, 7, stored_size), 0);
  EXPECT_GT(differences(shape, 400, 7, missing_stream), 0);
  EXPECT_GT(differences(shape, 400, 7, total_count), 0);
  EXPECT_EQ(differences(shape, 400, 7), 0);
}

// It also detects leaks built into the search itself.
TEST_P(Noninterference, LeaksOfASearchAreFound) {
  const GrantShape shape = shapes()[1];
  EXPECT_GT(differences(shape, 400, 11, nullptr, SearchLeak::kGlobalStatistics), 0);
  EXPECT_GT(differences(shape, 400, 11, nullptr, SearchLeak::kFilterAfterRanking), 0);
}

LADDER_FOR_EVERY_ENGINE(Noninterference);

}  // namespace
}  // namespace ladder
