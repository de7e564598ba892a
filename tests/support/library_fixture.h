// A resource server with a source that uses every feature of a declaration: a library of books with loans, in two
// connections. The books are kept in memory, too, so that a test can compute the expected results plainly.
#pragma once

#include "support/server_fixture.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ladder::test_support {

inline std::string library_declaration(std::string_view version = "1", bool more_indexes = true) {
  const std::string_view ranges =
      more_indexes
          ? R"("range_filters":{"pages":["gte","gt","lte","lt"],"bought_at":["gte","lt"],"read_at":["gte","gt","lte","lt"]},)"
          : "";
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"https://sources.example/library"}},
    "declaration_version":"{}","publisher":{{"id":"https://sources.example/"}},"display":{{"name":"Library"}},
    "streams":[
      {{"name":"books","semantics":"mutable_state","primary_key":["id"],"cursor_field":"read_at","consent_time_field":"bought_at",
        "selection":{{"fields":true,"resources":true}},
        "schema":{{"type":"object","required":["id"],"properties":{{"id":{{"type":"string"}},"title":{{"type":"string"}},
          "shelf":{{"type":["string","null"],"x_pdpp_belongs_to":"shelf"}},"pages":{{"type":["integer","null"]}},"lent":{{"type":"boolean"}},
          "read_at":{{"type":["string","null"],"format":"date-time"}},"bought_at":{{"type":"string","format":"date-time"}},
          "secret":{{"type":"string"}},"cover_id":{{"type":["string","null"]}},"blob_ref":{{"type":"object","required":["blob_id"],"properties":{{"blob_id":{{"type":"string"}},
            "mime_type":{{"type":"string"}},"sha256":{{"type":"string"}},"size_bytes":{{"type":"integer"}}}}}}}}}},
        "relationships":[{{"name":"loans","stream":"loans","foreign_key":"book","cardinality":"has_many"}},
          {{"name":"cover","stream":"covers","foreign_key":"cover_id","cardinality":"has_one"}}],
        "query":{{{}"search":{{"lexical_fields":["title","shelf","secret"]}},"aggregations":{{"count":true,"group_by":["shelf","lent","pages"],"group_by_time":["bought_at","read_at"],
            "min":["pages","bought_at"],"max":["pages","bought_at"],"sum":["pages"],"count_distinct":["shelf","title"]}},
          "expand":[{{"name":"loans","default_limit":3,"max_limit":5}},{{"name":"cover"}}]}}}},
      {{"name":"loans","semantics":"append_only","primary_key":["id"],"cursor_field":"at",
        "selection":{{"fields":true,"resources":true}},
        "schema":{{"type":"object","properties":{{"id":{{"type":"string"}},"book":{{"type":"string"}},
          "at":{{"type":"string","format":"date-time"}},"to":{{"type":"string"}}}}}},
        "query":{{"search":{{"lexical_fields":["to"]}}}}}},
      {{"name":"covers","semantics":"mutable_state","primary_key":["id"],"selection":{{"fields":true,"resources":true}},
        "schema":{{"type":"object","properties":{{"id":{{"type":"string"}},"colour":{{"type":"string"}}}}}}}}]}})",
                version, ranges);
}

struct Book {
  std::string connection, id, title;
  std::optional<std::string> shelf;
  std::optional<std::int64_t> pages;
  bool lent = false;
  std::optional<Instant> read_at, bought_at;
  std::string secret;

  std::string members() const {
    std::string text = text_member("title", title) + "," + text_member("secret", secret);
    text += shelf ? "," + text_member("shelf", *shelf) : std::string(",\"shelf\":null");
    if (pages) text += format(",\"pages\":{}", *pages);
    text += format(",\"lent\":{}", lent);
    if (read_at) text += "," + text_member("read_at", format_time(*read_at));
    if (bought_at) text += "," + text_member("bought_at", format_time(*bought_at));
    return text;
  }
};

class LibraryFixture : public ServerFixture {
 protected:
  LibraryFixture() {
    must(server().sources().add(owner(), library_declaration(), "library"));
    must(server().sources().add_connection(owner(), "library", "Home", "home"));
    must(server().sources().add_connection(owner(), "library", "Cabin", "cabin"));
  }

  void put_line(std::string_view id, std::string_view members, const std::string& connection, const std::string& stream) {
    const server::IngestReport report = ingest(record_line(id, members), connection, stream);
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }
  void put_book(const Book& book) {
    put_line(book.id, book.members(), book.connection, "books");
    books_[{book.connection, book.id}] = book;
  }
  void delete_book(const std::string& connection, const std::string& id) {
    const server::IngestReport report = ingest("{\"key\":\"" + id + "\",\"op\":\"delete\",\"data\":{}}\n", connection, "books");
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
    books_.erase({connection, id});
  }
  // Adds many at once.
  void put_books(const std::vector<Book>& books) {
    std::map<std::string, std::string> lines;
    for (const Book& book : books) {
      lines[book.connection] += record_line(book.id, book.members());
      books_[{book.connection, book.id}] = book;
    }
    for (const auto& [connection, text] : lines) {
      const server::IngestReport report = ingest(text, connection, "books");
      ASSERT_EQ(report.rejected, 0) << server::to_json(report);
    }
  }

  const std::map<std::pair<std::string, std::string>, Book>& books() const { return books_; }

  static Book random_book(std::mt19937& random, int number) {
    const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    static const Instant start = *parse_time("2024-01-01T00:00:00Z");
    Book book;
    book.connection = one_of(3) == 0 ? "cabin" : "home";
    book.id = format("b{:04}", number);
    book.title = format("title {}", one_of(20));
    if (one_of(8) == 0) book.title += std::string(80, 'x');
    if (one_of(6) != 0) book.shelf = format("shelf {}", one_of(5));
    if (one_of(5) != 0) book.pages = one_of(400) - 20;
    book.lent = one_of(2) == 0;
    if (one_of(5) != 0) book.read_at = start + one_of(700) * kDay + one_of(86'400) * kSecond;
    if (one_of(9) != 0) book.bought_at = start + one_of(900) * kDay + one_of(86'400) * kSecond;
    book.secret = format("secret {}", one_of(1'000'000));
    return book;
  }
  void fill(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Book> all;
    for (int i = 0; i < count; ++i) all.push_back(random_book(random, i));
    put_books(all);
  }

 private:
  std::map<std::pair<std::string, std::string>, Book> books_;
};

}  // namespace ladder::test_support
