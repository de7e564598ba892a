// Blobs: content-addressed bytes of an owner, in chunks.
#include "store_suite.h"

#include "base/limits.h"

namespace ladder::store {
namespace {

class BlobsSuite : public StoreSuite {
 protected:
  BlobRow staged(const std::string& bytes) { return staged(world().owner(), bytes); }
  BlobRow staged(OwnerNo owner, const std::string& bytes) {
    BlobRow blob;
    blob.digest = crypto::sha256(bytes);
    blob.size_bytes = static_cast<std::int64_t>(bytes.size());
    blob.mime_type = "image/png";
    blob.value = must(store().reserve_values(owner, 1));
    const auto staging = must(store().stage(owner, blob.value, 1, 0));
    std::int64_t chunk_no = 0;
    for (std::size_t at = 0; at < bytes.size(); at += limits::kChunkBytes) {
      must(staging->put_chunk(blob.value, chunk_no++, std::string_view(bytes).substr(at, limits::kChunkBytes)));
    }
    must(staging->finish());
    return blob;
  }
  std::string bytes_of(const BlobRow& blob) {
    std::string bytes;
    for (const std::string& chunk : must(must(store().read(world().owner()))->chunks(blob.value, 0, 1'000'000))) bytes += chunk;
    return bytes;
  }
  static std::string sample(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
    return bytes;
  }
  static Instant after_the_lease() { return Clock::system().now() + (limits::kStagingLeaseS + 5) * kSecond; }
};
LADDER_FOR_EVERY_ENGINE(BlobsSuite);

TEST_P(BlobsSuite, BytesAreReturned) {
  for (const std::size_t size : {std::size_t{1}, limits::kChunkBytes, limits::kChunkBytes + 1, std::size_t{100'000}}) {
    const std::string bytes = sample(size);
    const BlobRow blob = staged(bytes);
    must(store().add_blob(world().owner(), blob));
    const auto found = must(store().find_blob(world().owner(), blob.digest));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->digest, blob.digest);
    EXPECT_EQ(found->size_bytes, static_cast<std::int64_t>(size));
    EXPECT_EQ(found->mime_type, "image/png");
    EXPECT_EQ(bytes_of(*found), bytes);
  }
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(bytes_of(*must(store().find_blob(world().owner(), crypto::sha256(sample(100'000))))), sample(100'000));
}

TEST_P(BlobsSuite, SeveralCanBeWrittenAtOnce) {
  const BlobRow known = staged(sample(10'000));
  must(store().add_blob(world().owner(), known));
  std::vector<std::string> texts = {sample(10'000), sample(1), "", sample(limits::kChunkBytes + 1), sample(1)};
  std::vector<Store::BlobBytes> blobs;
  ValueId value = must(store().reserve_values(world().owner(), std::ssize(texts)));
  for (const std::string& bytes : texts) {
    blobs.push_back(
        {{.digest = crypto::sha256(bytes), .size_bytes = std::ssize(bytes), .mime_type = "image/png", .value = value++}, bytes});
  }
  must(store().add_blobs(world().owner(), blobs));
  must(store().add_blobs(world().owner(), blobs));
  for (const auto& each : blobs) {
    const auto found = must(store().find_blob(world().owner(), each.blob.digest));
    ASSERT_TRUE(found);
    EXPECT_EQ(bytes_of(*found), each.bytes);
    EXPECT_EQ(found->size_bytes, std::ssize(each.bytes));
  }
  EXPECT_EQ(must(store().find_blob(world().owner(), known.digest))->value, known.value);
  EXPECT_EQ(world().stored_chunks(blobs[0].blob.value), 0);
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(bytes_of(*must(store().find_blob(world().owner(), blobs[3].blob.digest))), texts[3]);
}

TEST_P(BlobsSuite, AnEmptyBlobIsStored) {
  const BlobRow blob = staged("");
  must(store().add_blob(world().owner(), blob));
  EXPECT_EQ(must(store().find_blob(world().owner(), blob.digest))->size_bytes, 0);
}

TEST_P(BlobsSuite, TheSameBytesAreKeptOnce) {
  const BlobRow first = staged(sample(10'000));
  must(store().add_blob(world().owner(), first));
  const BlobRow second = staged(sample(10'000));
  must(store().add_blob(world().owner(), second));
  EXPECT_EQ(must(store().find_blob(world().owner(), first.digest))->value, first.value);
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().stored_chunks(second.value), 0);
  EXPECT_EQ(bytes_of(first), sample(10'000));
}

TEST_P(BlobsSuite, OwnersDoNotShareBlobs) {
  const OwnerNo other = must(store().add_owner("other", kNow)).no;
  const BlobRow blob = staged(sample(5'000));
  must(store().add_blob(world().owner(), blob));
  EXPECT_FALSE(must(store().find_blob(other, blob.digest)));
  EXPECT_FALSE(must(store().find_blob(world().owner(), crypto::sha256("other bytes"))));
  const BlobRow copy = staged(other, sample(5'000));
  must(store().add_blob(other, copy));
  EXPECT_EQ(must(store().find_blob(other, blob.digest))->value, copy.value);
}

TEST_P(BlobsSuite, UnusedOnesCanBeDropped) {
  const OwnerNo other = must(store().add_owner("other", kNow)).no;
  const BlobRow blob = staged(sample(5'000)), kept = staged(sample(6'000)), copy = staged(other, sample(5'000));
  must(store().add_blob(world().owner(), blob));
  must(store().add_blob(world().owner(), kept));
  must(store().add_blob(other, copy));
  const std::vector<Digest> unused = {blob.digest, crypto::sha256("unknown bytes")};
  must(store().drop_unused_blobs(world().owner(), unused, kNow));
  must(store().drop_unused_blobs(world().owner(), unused, kNow));
  EXPECT_FALSE(must(store().find_blob(world().owner(), blob.digest)));
  EXPECT_TRUE(must(store().find_blob(world().owner(), kept.digest)));
  EXPECT_TRUE(must(store().find_blob(other, blob.digest))) << "another owner has it too";
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().stored_chunks(blob.value), 0);
}

TEST_P(BlobsSuite, SweptBytesFormNoBlob) {
  const BlobRow blob = staged(sample(5'000));
  sweep_all(store(), after_the_lease());
  const Status added = store().add_blob(world().owner(), blob);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Code::kStoreUnavailable);
  EXPECT_FALSE(must(store().find_blob(world().owner(), blob.digest)));
}

}  // namespace
}  // namespace ladder::store
