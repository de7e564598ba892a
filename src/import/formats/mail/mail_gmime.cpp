#include "import/formats/mail/mail_gmime.h"

#include "import/text/text.h"

#include <algorithm>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1  // NOLINT(bugprone-reserved-identifier): as g++ has it
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace ladder::imports::mail {
namespace {

struct Free {
  void operator()(char* text) const { g_free(text); }
};
using GText = std::unique_ptr<char, Free>;

std::string valid(const char* text) { return text == nullptr ? std::string() : replace_invalid(text); }

constexpr std::ptrdiff_t kMaxNesting = 500;

// GMime leaks its own entries for the types registered below, once and 64 bytes. Disable the leak check here.
void init_gmime() {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler disabler;
#endif
  g_mime_init();
}

// GMime keeps its tables until the process exits.
struct Library {
  Library() {
    init_gmime();
    options = g_mime_parser_options_new();
    const char* charsets[] = {"utf-8", "windows-1252", nullptr};
    g_mime_parser_options_set_fallback_charsets(options, charsets);
    g_mime_parser_options_set_allow_addresses_without_domain(options, TRUE);
    // Register messages as leaf parts: nested messages are read with our own depth limit.
    for (const char* type : {"rfc822", "rfc2822", "global", "news"})
      g_mime_object_register_type("message", type, g_mime_part_get_type());
  }
  ~Library() { g_mime_parser_options_free(options); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  GMimeParserOptions* options;
};

// Replaces line ends and the following white space by one space.
std::string unfolded(std::string_view value) {
  std::string out;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] != '\r' && value[at] != '\n') {
      out += value[at];
      continue;
    }
    while (at + 1 < value.size() && std::string_view("\r\n\t ").find(value[at + 1]) != std::string_view::npos) ++at;
    out += ' ';
  }
  return out;
}

void add_addresses(InternetAddressList* list, std::vector<Address>& out, int depth) {
  const int count = internet_address_list_length(list);
  for (int i = 0; i < count && out.size() < kMaxAddresses; ++i) {
    InternetAddress* each = internet_address_list_get_address(list, i);
    if (INTERNET_ADDRESS_IS_GROUP(each)) {
      InternetAddressList* members = internet_address_group_get_members(INTERNET_ADDRESS_GROUP(each));
      if (members != nullptr && depth < kMaxPartDepth) add_addresses(members, out, depth + 1);
    } else if (INTERNET_ADDRESS_IS_MAILBOX(each)) {
      const Address one{std::string(trim(valid(internet_address_get_name(each)))),
                        std::string(trim(valid(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(each)))))};
      if (!one.name.empty() || !one.address.empty()) out.push_back(one);
    }
  }
}

// Returns the bytes of an in-memory stream, which the content of every part is; "" for other streams.
std::string_view bytes_in(GMimeStream* stream) {
  if (!GMIME_IS_STREAM_MEM(stream)) return {};
  const GByteArray* const array = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
  if (array == nullptr || stream->bound_start < 0 || stream->bound_start > static_cast<gint64>(array->len)) return {};
  const std::string_view all(reinterpret_cast<const char*>(array->data), array->len);
  const auto begin = static_cast<std::size_t>(stream->bound_start);
  return stream->bound_end < 0 ? all.substr(begin) : all.substr(begin, static_cast<std::size_t>(stream->bound_end) - begin);
}

}  // namespace

GMimeParserOptions* parser_options() {
  static const Library library;
  return library.options;
}

GMimeText::GMimeText(std::string_view bytes) {
  GMimeParserOptions* options = parser_options();
  // The array borrows the bytes; GMime only reads them.
  array_ = g_byte_array_new_take(reinterpret_cast<guint8*>(const_cast<char*>(bytes.data())), bytes.size());
  stream_.reset(g_mime_stream_mem_new_with_byte_array(array_));
  g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream_.get()), FALSE);
  const Ref<GMimeParser> parser(g_mime_parser_new_with_stream(stream_.get()));
  g_mime_parser_set_persist_stream(parser.get(), TRUE);
  root_.reset(g_mime_parser_construct_part(parser.get(), options));
}

GMimeText::~GMimeText() {
  root_.reset();
  stream_.reset();
  g_byte_array_free(array_, FALSE);
}

DecodedBytes::DecodedBytes(GMimePart* part) {
  GMimeDataWrapper* content = g_mime_part_get_content(part);
  GMimeStream* source = content == nullptr ? nullptr : g_mime_data_wrapper_get_stream(content);
  if (source == nullptr) return;
  g_mime_stream_reset(source);
  most_ = static_cast<std::size_t>(std::max<gint64>(g_mime_stream_length(source), 0));
  const GMimeContentEncoding encoding = g_mime_data_wrapper_get_encoding(content);
  if (encoding == GMIME_CONTENT_ENCODING_BASE64) {
    stream_.reset(static_cast<GMimeStream*>(g_object_ref(source)));
    base64_.emplace();
    const std::string_view encoded = bytes_in(source);
    if (const std::size_t end = base64_end(encoded); end < encoded.size()) {
      after_base64_ = trim(encoded.substr(end));
      stream_.reset(g_mime_stream_substream(source, source->bound_start, source->bound_start + static_cast<gint64>(end)));
    }
    return;
  }
  stream_.reset(g_mime_stream_filter_new(source));
  if (encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE && encoding != GMIME_CONTENT_ENCODING_UUENCODE) return;
  const Ref<GMimeFilter> filter(g_mime_filter_basic_new(encoding, FALSE));
  g_mime_stream_filter_add(GMIME_STREAM_FILTER(stream_.get()), filter.get());
}

Result<std::size_t> DecodedBytes::read_base64(char* buffer, std::size_t capacity) {
  constexpr std::size_t kLeast = LooseBase64::most(4);
  std::size_t filled = 0;
  while (stream_ && capacity - filled >= kLeast) {
    text_.resize(std::min((capacity - filled - kLeast) / 3 * 4 + 4, 64 * limits::kKiB));
    const ssize_t done = g_mime_stream_read(stream_.get(), text_.data(), text_.size());
    if (done <= 0) {
      filled += base64_->finish(buffer + filled);
      stream_.reset();
      break;
    }
    filled += base64_->decode(std::string_view(text_.data(), static_cast<std::size_t>(done)), buffer + filled);
  }
  count_ += static_cast<std::int64_t>(filled);
  return filled;
}

Result<std::size_t> DecodedBytes::read(char* buffer, std::size_t capacity) {
  if (base64_) return read_base64(buffer, capacity);
  // GMime returns a few kilobytes per call, whatever the capacity.
  std::size_t filled = 0;
  while (stream_ && filled < capacity) {
    const ssize_t done = g_mime_stream_read(stream_.get(), buffer + filled, capacity - filled);
    if (done <= 0) break;
    filled += static_cast<std::size_t>(done);
  }
  count_ += static_cast<std::int64_t>(filled);
  return filled;
}

std::string raw_header(GMimeObject* object, const char* name) {
  GMimeHeader* header = g_mime_header_list_get_header(g_mime_object_get_header_list(object), name);
  const char* value = header == nullptr ? nullptr : g_mime_header_get_raw_value(header);
  if (value == nullptr) return {};
  return std::string(trim(unfolded(std::string_view(value).substr(0, kMaxHeaderBytes))));
}

std::string recoded_header(GMimeObject* object, const char* name, HeaderCharset& charset) {
  return recode_words(raw_header(object, name), charset);
}

std::string charset_of_text(GMimeObject* object) {
  for (int depth = 0; object != nullptr && depth <= kMaxPartDepth; ++depth) {
    if (!GMIME_IS_MULTIPART(object)) {
      const char* named = g_mime_object_get_content_type_parameter(object, "charset");
      return named == nullptr ? std::string() : replace_invalid(named);
    }
    GMimeMultipart* multipart = GMIME_MULTIPART(object);
    object = g_mime_multipart_get_count(multipart) > 0 ? g_mime_multipart_get_part(multipart, 0) : nullptr;
  }
  return {};
}

std::string header_text(GMimeObject* object, const char* name, HeaderCharset& charset) {
  const std::string raw = recoded_header(object, name, charset);
  if (raw.empty()) return {};
  const GText decoded(g_mime_utils_header_decode_text(parser_options(), raw.c_str()));
  return std::string(trim(valid(decoded.get())));
}

std::string Address::display() const {
  if (name.empty() || name == address) return address;
  return address.empty() ? name : name + " <" + address + ">";
}

std::vector<Address> addresses(GMimeObject* object, const char* name, HeaderCharset& charset) {
  std::vector<Address> out;
  const std::string raw = recoded_header(object, name, charset);
  if (raw.empty()) return out;
  // GMime parses nested groups and comments recursively.
  const bool is_sane = std::ranges::count(raw, ':') <= kMaxNesting && std::ranges::count(raw, '(') <= kMaxNesting;
  const Ref<InternetAddressList> list(is_sane ? internet_address_list_parse(parser_options(), raw.c_str()) : nullptr);
  if (list) add_addresses(list.get(), out, 0);
  // Keep an address that GMime cannot parse as written.
  if (out.empty()) {
    if (std::string text = header_text(object, name, charset); !text.empty()) out.push_back(Address{std::move(text), {}});
  }
  return out;
}

std::vector<std::string> message_ids(GMimeObject* object, const char* name) {
  std::vector<std::string> out;
  const std::string raw = replace_invalid(raw_header(object, name));
  // Ids are in angle brackets; a header without brackets is a single id.
  for (std::size_t open = raw.find('<'); open != std::string::npos && out.size() < kMaxReferences;
       open = raw.find('<', open + 1)) {
    const std::size_t close = raw.find('>', open);
    if (close == std::string::npos) break;
    std::string id(trim(std::string_view(raw).substr(open + 1, close - open - 1)));
    if (!id.empty()) out.push_back(std::move(id));
    open = close;
  }
  if (out.empty() && !raw.empty() && raw.find_first_of("<>") == std::string::npos) out.push_back(raw);
  return out;
}

}  // namespace ladder::imports::mail
