#include "import/xml/xml_reader.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/encoding.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <deque>

namespace ladder::imports {
namespace {

constexpr std::size_t kPieceBytes = 64 * limits::kKiB;
constexpr std::size_t kMaxDepth = 512;                     // elements inside each other: more than any real document
constexpr std::size_t kMaxTokenBytes = 64 * limits::kMiB;  // bytes without a step: one tag or one text
constexpr std::size_t kMaxPrologBytes = limits::kMiB;      // before the first element, with the document type

// Replaces every document type. It names a file that is never opened, so that unknown entities are no error.
constexpr std::string_view kDocumentType = "<!DOCTYPE d SYSTEM \"d\">";

struct NamedEntity {
  std::string_view name, text;
};
constexpr std::array kEntities = {
    NamedEntity{"nbsp", "\xC2\xA0"},       NamedEntity{"ndash", "\xE2\x80\x93"}, NamedEntity{"mdash", "\xE2\x80\x94"},
    NamedEntity{"hellip", "\xE2\x80\xA6"}, NamedEntity{"lsquo", "\xE2\x80\x98"}, NamedEntity{"rsquo", "\xE2\x80\x99"},
    NamedEntity{"ldquo", "\xE2\x80\x9C"},  NamedEntity{"rdquo", "\xE2\x80\x9D"}, NamedEntity{"bull", "\xE2\x80\xA2"},
    NamedEntity{"euro", "\xE2\x82\xAC"},   NamedEntity{"auml", "\xC3\xA4"},      NamedEntity{"ouml", "\xC3\xB6"},
    NamedEntity{"uuml", "\xC3\xBC"},       NamedEntity{"Auml", "\xC3\x84"},      NamedEntity{"Ouml", "\xC3\x96"},
    NamedEntity{"Uuml", "\xC3\x9C"},       NamedEntity{"szlig", "\xC3\x9F"},     NamedEntity{"eacute", "\xC3\xA9"},
    NamedEntity{"egrave", "\xC3\xA8"},     NamedEntity{"copy", "\xC2\xA9"},      NamedEntity{"middot", "\xC2\xB7"},
};

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// Returns where the document type that starts at `begin` ends; npos if it does not end in this text. Quotes and brackets inside
// it may be unbalanced: then the first "]>" ends it.
std::size_t end_of_document_type(std::string_view text, std::size_t begin) {
  const std::size_t close = text.find('>', begin), bracket = text.find('[', begin);
  if (bracket == std::string_view::npos || close < bracket) return close == std::string_view::npos ? close : close + 1;
  for (std::size_t at = text.find(']', bracket); at != std::string_view::npos; at = text.find(']', at + 1)) {
    std::size_t after = at + 1;
    while (after < text.size() && (text[after] == ' ' || text[after] == '\r' || text[after] == '\n' || text[after] == '\t'))
      ++after;
    if (after < text.size() && text[after] == '>') return after + 1;
  }
  return std::string_view::npos;
}

}  // namespace

struct XmlReader::State {
  struct Event {
    Step step = Step::kDone;
    std::int64_t offset = 0;
    std::string text;  // the name of an element, or text
    std::vector<std::pair<std::string, std::string>> attributes;
  };

  explicit State(Bytes& from) : bytes(from), parser(XML_ParserCreate(nullptr)) {
    if (parser == nullptr) return;
    XML_SetUserData(parser, this);
    XML_SetHashSalt(parser, 0x4C616464);  // a fixed value, so that no random numbers are read
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetSkippedEntityHandler(parser, on_entity);
    XML_SetEntityDeclHandler(parser, on_declaration);
    XML_SetUnknownEncodingHandler(parser, on_encoding, nullptr);
  }
  ~State() {
    if (parser != nullptr) XML_ParserFree(parser);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static State& of(void* data) { return *static_cast<State*>(data); }

  void add(Step step) {
    quiet = 0;
    Event& event = events.emplace_back();
    event.step = step;
    event.offset = std::max<std::int64_t>(0, XML_GetCurrentByteIndex(parser) + shift);
  }

  static void on_start(void* data, const char* name, const char** attributes) {
    State& state = of(data);
    if (++state.open > kMaxDepth) return state.stop("its elements are nested too deeply");
    state.add(Step::kStart);
    Event& event = state.events.back();
    event.text = local_name(name);
    for (; *attributes != nullptr; attributes += 2) event.attributes.emplace_back(attributes[0], attributes[1]);
  }
  static void on_end(void* data, const char* name) {
    State& state = of(data);
    if (state.open > 0) --state.open;
    state.add(Step::kEnd);
    state.events.back().text = local_name(name);
  }
  static void on_text(void* data, const char* text, int size) {
    State& state = of(data);
    if (size <= 0) return;
    constexpr std::size_t kMaxJoined = limits::kMiB;  // longer texts come in several steps
    const bool joins =
        !state.events.empty() && state.events.back().step == Step::kText && state.events.back().text.size() < kMaxJoined;
    if (!joins) state.add(Step::kText);
    state.quiet = 0;
    state.events.back().text.append(text, static_cast<std::size_t>(size));
  }
  static void on_entity(void* data, const char* name, int is_parameter) {
    if (is_parameter != 0) return;
    const auto* const known = std::ranges::find(kEntities, std::string_view(name), &NamedEntity::name);
    const std::string text = known == kEntities.end() ? format("&{};", name) : std::string(known->text);
    on_text(data, text.data(), static_cast<int>(text.size()));
  }
  // Only UTF-16 text can still contain a declaration.
  static void on_declaration(void* data, const char*, int, const char*, int, const char*, const char*, const char*, const char*) {
    of(data).stop("it declares entities, which are not read");
  }
  static int on_encoding(void*, const char* name, XML_Encoding* info) {
    const charset::Encoding* encoding = charset::find_encoding(name);
    if (encoding == nullptr || encoding->family != charset::Family::kSingleByte) return XML_STATUS_ERROR;
    for (int byte = 0; byte < 256; ++byte) {
      const char letter = static_cast<char>(byte);
      const charset::Decoded decoded = charset::decode(std::string_view(&letter, 1), *encoding);
      std::size_t at = 0;
      const char32_t point = decoded.errors > 0 || decoded.text.empty() ? U'\0' : utf8::next(decoded.text, at);
      info->map[byte] = byte < 128 ? byte : point == U'\0' || point > 0xFFFF ? -1 : static_cast<int>(point);
    }
    info->data = nullptr;
    info->convert = nullptr;
    info->release = nullptr;
    return XML_STATUS_OK;
  }

  void stop(std::string_view reason) {
    if (why.empty()) why = reason;
    XML_StopParser(parser, XML_FALSE);
  }

  // Replaces the document type and characters that XML does not allow. Returns false while more of the file is needed.
  bool prepare(std::string& piece, bool is_last) {
    if (is_wide) return true;
    for (char& c : piece) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') c = ' ';
    }
    if (has_prolog) return true;
    prolog += piece;
    piece.clear();
    std::size_t at = 0;
    for (;;) {
      at = prolog.find('<', at);
      const bool is_cut = at == std::string::npos || at + 9 > prolog.size();
      if (is_cut && !is_last && prolog.size() < kMaxPrologBytes) return false;
      if (at == std::string::npos) break;
      const std::string_view rest = std::string_view(prolog).substr(at);
      std::size_t end = std::string::npos;
      if (rest.starts_with("<?")) end = prolog.find("?>", at) == std::string::npos ? end : prolog.find("?>", at) + 2;
      else if (rest.starts_with("<!--")) end = prolog.find("-->", at) == std::string::npos ? end : prolog.find("-->", at) + 3;
      else if (rest.starts_with("<!DOCTYPE") || rest.starts_with("<!doctype")) end = end_of_document_type(prolog, at);
      else break;  // the root element
      if (end == std::string::npos) {
        if (!is_last && prolog.size() < kMaxPrologBytes) return false;
        break;
      }
      if (rest.starts_with("<!D") || rest.starts_with("<!d")) {
        shift += static_cast<std::int64_t>(end - at);
        prolog.erase(at, end - at);
      } else {
        at = end;
      }
    }
    if (at != std::string::npos) {
      prolog.insert(at, kDocumentType);
      shift -= static_cast<std::int64_t>(kDocumentType.size());
    }
    has_prolog = true;
    piece = std::exchange(prolog, {});
    return true;
  }

  Status feed() {
    std::string piece(kPieceBytes, '\0');
    LADDER_TRY(const std::size_t count, bytes.read(piece.data(), piece.size()));
    piece.resize(count);
    const bool is_last = count == 0;
    if (!started) {
      started = true;
      if (piece.starts_with("\xEF\xBB\xBF")) piece.erase(0, 3), shift += 3;
      const std::string_view head = std::string_view(piece).substr(0, 4);
      is_wide = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF") || head.find('\0') != std::string_view::npos;
    }
    if (!prepare(piece, is_last)) return {};
    quiet += piece.size();
    if (quiet > kMaxTokenBytes) {
      ended = true;
      why = "one of its tags is too long";
      return {};
    }
    if (XML_Parse(parser, piece.data(), static_cast<int>(piece.size()), is_last ? 1 : 0) != XML_STATUS_OK) {
      ended = true;
      if (why.empty()) why = format("it is not valid XML ({})", XML_ErrorString(XML_GetErrorCode(parser)));
    }
    ended = ended || is_last;
    return {};
  }

  Bytes& bytes;
  XML_Parser parser;
  std::deque<Event> events;
  Event now;
  std::size_t open = 0;   // elements that the parser has seen
  std::size_t depth = 0;  // elements that the caller has seen
  std::size_t quiet = 0;  // bytes since the last event
  std::int64_t shift = 0;
  bool started = false, ended = false, is_wide = false, has_prolog = false;
  std::string prolog, why;
};

XmlReader::XmlReader(Bytes& bytes) : state_(std::make_unique<State>(bytes)) {}
XmlReader::~XmlReader() = default;

Result<XmlReader::Step> XmlReader::next() {
  State& state = *state_;
  if (state.parser == nullptr) return fail(Code::kInternal, "expat has no memory");
  if (state.now.step == Step::kEnd && state.depth > 0) --state.depth;
  // The last text may continue in the next piece.
  while (!state.ended && (state.events.empty() || (state.events.size() == 1 && state.events.front().step == Step::kText))) {
    LADDER_CHECK(state.feed());
  }
  if (state.events.empty()) {
    state.now = {};
    return state.now.step = state.why.empty() ? Step::kDone : Step::kDamaged;
  }
  state.now = std::move(state.events.front());
  state.events.pop_front();
  if (state.now.step == Step::kStart) ++state.depth;
  return state.now.step;
}

std::string_view XmlReader::name() const { return state_->now.text; }
std::string_view XmlReader::text() const { return state_->now.text; }
std::int64_t XmlReader::offset() const { return state_->now.offset; }
std::size_t XmlReader::depth() const { return state_->depth; }
const std::string& XmlReader::why() const { return state_->why; }

std::string_view XmlReader::attribute(std::string_view name) const {
  std::string_view found;
  for (const auto& [given, value] : state_->now.attributes) {
    if (given == name) return value;
    if (local_name(given) == name) found = value;
  }
  return found;
}

std::string_view XmlReader::prefixed_attribute(std::string_view name) const {
  for (const auto& [given, value] : state_->now.attributes) {
    if (given != name && local_name(given) == name) return value;
  }
  return {};
}

Result<std::string> XmlReader::take_text(std::size_t max_bytes) {
  std::string taken;
  for (const std::size_t begin = depth();;) {
    LADDER_TRY(const Step step, next());
    if (step == Step::kText) taken += beginning(text(), max_bytes - std::min(max_bytes, taken.size()));
    if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && depth() <= begin)) return taken;
  }
}

Status XmlReader::skip_element() {
  for (const std::size_t begin = depth();;) {
    LADDER_TRY(const Step step, next());
    if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && depth() <= begin)) return {};
  }
}

}  // namespace ladder::imports
