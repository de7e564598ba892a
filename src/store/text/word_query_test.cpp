// The query syntax and term matching, with examples. words_random_test.cpp and fuzz/ use random queries and texts.
#include "store/text/word_query.h"

#include "base/text/format.h"
#include "store/text/passages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

// One line per term: "-" if excluded, the words separated by spaces, "+" for the pair mark, "*" for a prefix.
std::string shown(const WordTerm& term, bool excluded) {
  std::string line = excluded ? "-" : "";
  for (const std::string& word : term.words) {
    if (&word != &term.words.front()) line += ' ';
    line += word.front() == kPairMark ? "+" + word.substr(1) : word;
  }
  return line + (term.prefix ? "*" : "");
}

using Lines = std::vector<std::string>;

const WordGrammar kAll{.all = true, .forms = false, .fields = {}};

Lines terms_of(std::string_view text, const WordGrammar& grammar = kAll) {
  const auto query = parse_word_query(text, grammar);
  if (!query) return {"refused: " + query.error().message};
  Lines lines;
  for (const WordTerm& term : query->terms) lines.push_back(shown(term, false));
  for (const WordTerm& term : query->excluded) lines.push_back(shown(term, true));
  return lines;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string numbered(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += format("{}w{}", i == 0 ? "" : " ", i);
  return text;
}

void expect_refused(std::string_view text, std::string_view part_of_message) {
  const auto query = parse_word_query(text, kAll);
  ASSERT_FALSE(query) << text;
  EXPECT_EQ(query.error().code, Code::kInvalidRequest);
  EXPECT_EQ(query.error().param, "q");
  EXPECT_NE(query.error().message.find(part_of_message), std::string::npos) << query.error().message;
}

// "term start-end"
Lines found(std::string_view query_text, std::string_view text, std::size_t limit = 100) {
  const auto query = parse_word_query(query_text, kAll);
  EXPECT_TRUE(query) << query_text;
  Lines lines;
  if (!query) return lines;
  for (const WordRange& range : find_terms(*query, text, limit)) {
    lines.push_back(format("{} {}-{}", range.term, range.start, range.end));
  }
  return lines;
}

TEST(WordQuery, WordsAndPhrasesAndPrefixesAndExclusions) {
  EXPECT_EQ(terms_of("Foo BÄR"), (Lines{"foo", "bar"}));
  EXPECT_EQ(terms_of(R"(a "b C" d)"), (Lines{"a", "b c", "d"}));
  EXPECT_EQ(terms_of("foo* bar"), (Lines{"foo*", "bar"}));
  EXPECT_EQ(terms_of(R"(a -b -"c d" -e*)"), (Lines{"a", "-b", "-c d", "-e*"}));
  EXPECT_EQ(terms_of(R"("foo bar"*)"), (Lines{"foo bar*"}));
  EXPECT_EQ(terms_of("foo-bar don't a.b@c.d*"), (Lines{"foo bar", "don t", "a b c d*"}));
  EXPECT_EQ(terms_of("a\u3000b\u00A0c\u2003d\ne"), (Lines{"a", "b", "c", "d", "e"}));
}

TEST(WordQuery, OtherQuotesAndWidths) {
  EXPECT_EQ(terms_of("“a b” „c d“ «e f» »g h« ＂i j＂"), (Lines{"a b", "c d", "e f", "g h", "i j"}));
  EXPECT_EQ(terms_of("ａ＊ －ｂ"), (Lines{"a*", "-b"}));
}

TEST(WordQuery, OtherPunctuationSeparatesWords) {
  EXPECT_EQ(terms_of("\"foo bar"), (Lines{"foo", "bar"})) << "a lone quote";
  EXPECT_EQ(terms_of(R"("a b" c" d)"), (Lines{"a b", "c", "d"}));
  EXPECT_EQ(terms_of("- foo * bar -"), (Lines{"foo", "bar"}));
  EXPECT_EQ(terms_of("a - b"), (Lines{"a", "b"}));
  EXPECT_EQ(terms_of("a --b"), (Lines{"a", "-b"}));
  EXPECT_EQ(terms_of("a-"), (Lines{"a"}));
  EXPECT_EQ(terms_of("foo*bar"), (Lines{"foo bar"}));
  EXPECT_EQ(terms_of("foo.* bar**"), (Lines{"foo", "bar*"})) << "a star right after a word only";
  EXPECT_EQ(terms_of("*foo"), (Lines{"foo"}));
  EXPECT_EQ(terms_of("(foo*) foo* OR bar"), (Lines{"foo*", "or", "bar"}));
  EXPECT_EQ(terms_of(R"("" a "-b" "c*")"), (Lines{"a", "b", "c"})) << "quoted text has no operators";
  EXPECT_EQ(terms_of(R"(a"b c"d)"), (Lines{"a", "b c", "d"}));
  EXPECT_EQ(terms_of(R"("a"-b)"), (Lines{"a", "b"})) << "a hyphen excludes after white space only";
  EXPECT_EQ(terms_of("a:b AND NEAR(c {d} col:e^2"), (Lines{"a b", "and", "near c", "d", "col e 2"}));
}

TEST(WordQuery, CharactersWithoutSpaces) {
  EXPECT_EQ(terms_of("東"), (Lines{"東"}));
  EXPECT_EQ(terms_of("東京"), (Lines{"+東京 京"}));
  EXPECT_EQ(terms_of("東京都 \"北京 上海\""), (Lines{"+東京 +京都 都", "+北京 京 +上海 海"}));
  EXPECT_EQ(terms_of("iPhone东京x"), (Lines{"iphone +东京 京 x"}));
  EXPECT_EQ(terms_of("東京* 東* 한국* 🎉*"), (Lines{"+東京 京", "東", "한국*", "🎉"})) << "a character cannot go on";
}

TEST(WordQuery, DeduplicatesTerms) { EXPECT_EQ(terms_of("foo FOO \"foo\" foo* -foo -Foo"), (Lines{"foo", "foo*", "-foo"})); }

TEST(WordQuery, ALongRunIsSeveralPhrases) {
  EXPECT_EQ(terms_of(repeated("x.", 16) + "y"), (Lines{repeated("x ", 16) + "y"}));
  EXPECT_EQ(terms_of(repeated("x.", 17) + "y.z*"), (Lines{repeated("x ", 16) + "x", "y z*"}));
  const Lines characters = terms_of(repeated("甲", 17) + "乙");
  EXPECT_EQ(characters, (Lines{repeated("+甲甲 ", 16) + "甲", "乙"})) << "each phrase ends with a character alone";
  const std::string a255(255, 'a');
  EXPECT_EQ(terms_of(a255 + "bc*"), (Lines{a255 + " bc*"}));
  EXPECT_EQ(terms_of(a255 + "*"), (Lines{a255})) << "a word that long continues as another one";
}

TEST(WordQuery, Refusals) {
  expect_refused("", "no word");
  expect_refused(" \t ", "no word");
  expect_refused("... \"\" * - 。", "no word");
  expect_refused("-a", "only excludes");
  expect_refused("-\"a b\"", "only excludes");
  expect_refused(std::string(8'001, 'a'), "8001 characters");
  expect_refused("a\xFF", "UTF-8");
  expect_refused("\xE6\x9D", "UTF-8");
  expect_refused("a -" + repeated("x.", 18), "18 words");
  expect_refused(numbered(33), "33 terms");
  expect_refused(numbered(31) + " -a -b", "33 terms");
}

TEST(WordQuery, AcceptsQueriesAtTheLimits) {
  EXPECT_EQ(terms_of(numbered(32)).size(), 32u);
  EXPECT_EQ(terms_of("\"" + numbered(17) + "\""), (Lines{numbered(17)}));
  EXPECT_EQ(terms_of("x " + repeated(" ", 7'997) + "é"), (Lines{"x", "e"})) << "chars, not bytes";
  EXPECT_EQ(terms_of(repeated("a ", 512)), (Lines{"a"}));
}

// "+" before a required word, "field:" for its field, followed by the number of forms.
Lines searched(std::string_view text, std::set<std::string> fields = {}) {
  const auto query = parse_word_query(text, {.all = false, .forms = false, .fields = std::move(fields)});
  if (!query) return {"refused: " + query.error().message};
  Lines lines;
  for (const WordTerm& term : query->terms) {
    lines.push_back((term.must ? "+" : "") + (term.field.empty() ? "" : term.field + ":") + shown(term, false));
  }
  for (const WordTerm& term : query->excluded) lines.push_back((term.field.empty() ? "" : term.field + ":") + shown(term, true));
  return lines;
}

TEST(WordQuery, PlusAndQuotesMakeWordsRequired) {
  EXPECT_EQ(searched("spare key"), (Lines{"spare", "key"}));
  EXPECT_EQ(searched("spare +key \"front door\" -garage"), (Lines{"spare", "+key", "+front door", "-garage"}));
  EXPECT_EQ(searched("1+1 c++ key"), (Lines{"1 1", "c", "key"})) << "a sign counts after white space only";
  EXPECT_EQ(searched("key +key"), (Lines{"+key"}));
  EXPECT_EQ(searched("well-known don't a.b@c.d"), (Lines{"well", "known", "don", "a b c d"})) << "a single t is not searched";
  EXPECT_EQ(searched("2024-01-15"), (Lines{"2024 01 15"})) << "a date stays together";
}

TEST(WordQuery, RecognizesDeclaredFieldsOnly) {
  EXPECT_EQ(searched("from:anna offer", {"from"}), (Lines{"+from:anna", "offer"}));
  EXPECT_EQ(searched("subject:anna offer", {"subject"}), (Lines{"subject:anna", "offer"}));
  EXPECT_EQ(searched("subject:\"the offer\" -from:ben +from:anna", {"from", "subject"}),
            (Lines{"+subject:the offer", "+from:anna", "from:-ben"}));
  EXPECT_EQ(searched("re: offer", {"re"}), (Lines{"re", "offer"})) << "no text right after the colon";
  EXPECT_EQ(searched("http://x.org 12:30", {"from"}), (Lines{"http x org", "12 30"}));
  EXPECT_EQ(searched("from:anna"), (Lines{"from anna"}));
}

TEST(WordQuery, DropsFunctionWordsOfAQuestion) {
  EXPECT_EQ(searched("Where does the spare key hang?"), (Lines{"spare", "key", "hang"}));
  EXPECT_EQ(searched("Wo h\u00E4ngt der Ersatzschl\u00FCssel und was kostet er?"), (Lines{"hangt", "ersatzschlussel", "kostet"}));
  EXPECT_EQ(searched("war and peace"), (Lines{"war", "and", "peace"})) << "too short to be a question";
  EXPECT_EQ(searched("to be or not to be"), (Lines{"to", "be", "or", "not"})) << "no other words remain";
  EXPECT_EQ(searched("where is +the key to the house"), (Lines{"+the", "key", "house"}));
}

TEST(WordQuery, AShortQuestionBeginsWithAFunctionWord) {
  EXPECT_EQ(searched("who maintains notmuch"), (Lines{"maintains", "notmuch"}));
  EXPECT_EQ(searched("US state energy policies"), (Lines{"us", "state", "energy", "policies"})) << "an acronym";
}

TEST(WordQuery, QuotesInProseDoNotRequireWords) {
  EXPECT_EQ(searched("how does the \"spare key\" rule apply to garages and gates"),
            (Lines{"spare", "key", "rule", "apply", "garages", "gates"}));
  EXPECT_EQ(searched("offer \"front door\" lock"), (Lines{"offer", "+front door", "lock"})) << "typed on purpose";
  EXPECT_EQ(searched("letters about garages gates doors windows locks -\"front door\""),
            (Lines{"letters", "garages", "gates", "doors", "windows", "locks", "-front door"}));
  EXPECT_EQ(searched("\"" + numbered(18) + "\"").size(), 18u) << "too long for a phrase";
}

TEST(WordQuery, PunctuationInPastedTextIsNotAnOperator) {
  EXPECT_EQ(searched("tasks:\n-milk\n+bread **butter** title:eggs", {"title"}),
            (Lines{"tasks", "milk", "bread", "butter", "title eggs"}));
  EXPECT_EQ(searched("call +49 171 or -5"), (Lines{"call", "49 171", "5"}));
  EXPECT_EQ(searched(numbered(28) + " -bread +cheese").back(), "cheese") << "a text with that many words has no operators";
}

TEST(WordQuery, DigitsInGroupsAreOneNumber) {
  EXPECT_EQ(searched("invoice 53 500"), (Lines{"invoice", "53 500"}));
  EXPECT_EQ(searched("53 50"), (Lines{"53", "50"}));
  const auto grouped = parse_word_query("53 500 costs 53500", {.all = false, .forms = true, .fields = {}});
  ASSERT_TRUE(grouped);
  ASSERT_EQ(grouped->terms.size(), 3u);
  EXPECT_EQ(grouped->terms[0].forms, Lines{"53500"});
  EXPECT_EQ(grouped->terms[2].forms, Lines{"53 500"});
  EXPECT_EQ(find_terms(*grouped, "about 53 500 or 53500 or 53.500", 9),
            (std::vector<WordRange>{{0, 6, 12}, {2, 6, 12}, {0, 16, 21}, {2, 16, 21}, {0, 25, 31}, {2, 25, 31}}));
}

TEST(WordQuery, ALongRunOfCharactersIsSearchedByItsPairs) {
  EXPECT_EQ(searched("\u6771\u4EAC\u90FD"), (Lines{"+\u6771\u4EAC +\u4EAC\u90FD \u90FD"}));
  EXPECT_EQ(searched("\u7532\u4E59\u4E19\u4E01\u620A").size(), 4u);
}

TEST(WordQuery, DropsSurplusWords) {
  const auto query = parse_word_query(numbered(40) + " considerable");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->terms.size() + query->excluded.size(), kMaxWordTerms);
  EXPECT_EQ(query->left_out.size(), 9u);
  EXPECT_EQ(query->terms.back().typed, "considerable") << "the longest stay";
}

TEST(WordQuery, MatchesFormsOfAWord) {
  const auto query = parse_word_query("letter", {.all = false, .forms = true, .fields = {}});
  ASSERT_TRUE(query);
  EXPECT_NE(std::ranges::find(query->terms[0].forms, "letters"), query->terms[0].forms.end());
  EXPECT_EQ(find_terms(*query, "The Letters and a letterhead", 9), (std::vector<WordRange>{{0, 4, 11}}));
  const auto quoted = parse_word_query("\"letter\"", {.all = false, .forms = true, .fields = {}});
  ASSERT_TRUE(quoted);
  EXPECT_TRUE(quoted->terms[0].forms.empty()) << "quoted words match exactly";
}

TEST(FindTerms, WordsAndPhrases) {
  EXPECT_EQ(found("foo", "Foo bar fóo food FOO"), (Lines{"0 0-3", "0 8-11", "0 17-20"}));
  EXPECT_EQ(found("foo*", "Foo bar food"), (Lines{"0 0-3", "0 8-12"}));
  EXPECT_EQ(found("\"foo bar\"", "foo, BAR foo x bar"), (Lines{"0 0-8"}));
  EXPECT_EQ(found("\"foo bar\"*", "foo barber foobar"), (Lines{"0 0-10"}));
  EXPECT_EQ(found("b a -c", "a c b"), (Lines{"1 0-1", "0 4-5"})) << "ordered by start; excluded terms are ignored";
  EXPECT_EQ(found("a \"a b\"", "a b"), (Lines{"0 0-1", "1 0-3"}));
  EXPECT_EQ(found("\"a a\"", "a a a"), (Lines{"0 0-3", "0 2-5"})) << "they may overlap";
  EXPECT_EQ(found("x", "a b"), (Lines{}));
  EXPECT_EQ(found("x", ""), (Lines{}));
}

TEST(FindTerms, CharactersWithoutSpaces) {
  EXPECT_EQ(found("京", "東京 京都"), (Lines{"0 1-2", "0 3-4"}));
  EXPECT_EQ(found("東京", "東京都 東 京 東京"), (Lines{"0 0-2", "0 8-10"})) << "separated characters are not a pair";
  EXPECT_EQ(found("東京都", "在東京都"), (Lines{"0 1-4"}));
  EXPECT_EQ(found("น้ำ", "น้ำ"), (Lines{"0 0-3"}));
}

TEST(FindTerms, MatchesAPairAtTheEndOfATerm) {
  const WordQuery query{.terms = {{.words = {std::string("\x01") + "東京"}}}, .excluded = {}};
  EXPECT_EQ(find_terms(query, "在東京都 京", 9), (std::vector<WordRange>{{0, 1, 3}}));
}

TEST(FindTerms, DoesNotMatchAcrossAGap) {
  EXPECT_EQ(found("\"a b\"", "a" + std::string(256, ' ') + "b"), (Lines{"0 0-258"}));
  EXPECT_EQ(found("\"a b\"", "a" + std::string(257, ' ') + "b"), (Lines{}));
  EXPECT_EQ(found("b", "a" + std::string(257, ' ') + "b"), (Lines{"0 258-259"}));
}

TEST(FindTerms, LimitsMatchesPerTerm) {
  EXPECT_EQ(found("a b", "a a a b b b", 2), (Lines{"0 0-1", "0 2-3", "1 6-7", "1 8-9"}));
  EXPECT_EQ(found("a b", "a b", 0), (Lines{}));
}

TEST(FindTerms, MatchesTheLongestPhrase) { EXPECT_EQ(found("\"" + numbered(17) + "\"", "x " + numbered(20)), (Lines{"0 2-59"})); }

}  // namespace
}  // namespace ladder::store
