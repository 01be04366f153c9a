namespace Bridge.TorchSharp.Tests;

/// <summary>Compared with Python's <c>hashlib.blake2b(bytes(i % 251 for i in range(n)), digest_size=16)</c>.</summary>
public class Blake2bTests
{
    [Theory]
    [InlineData(0, "cae66941d9efbd404e4d88758ea67670")]
    [InlineData(1, "7025e075d5e2f6cde3cc051a31f07660")]
    [InlineData(127, "28b1296c7d4807883de6ee4ec04dcc0a")]
    [InlineData(128, "a74787004ef589e31149183900d0294a")]
    [InlineData(129, "aaf1b0371f6d4ee49ee4fb5ddd9c49ef")]
    [InlineData(256, "1142c504dcd26338b7cbcf41424540d0")]
    [InlineData(257, "b77b55d3dddcc45c6a52774565cd0dd6")]
    [InlineData(1000, "bca120dfd89cd95d82898473a5b01c90")]
    [InlineData(100000, "7bafffc74b44b4a80f347888022ba2ae")]
    public void A_digest_equals_Pythons_for_any_chunks(int count, string expected)
    {
        byte[] data = [.. Enumerable.Range(0, count).Select(i => (byte)(i % 251))];
        foreach (var vectors in new[] { false, true })
        {
            foreach (var step in new[] { 1, 7, 64, 128, 129, 256, 300, 1000 })
            {
                var digest = new Blake2b(vectors);
                foreach (var part in data.Chunk(step)) digest.Add(part);
                Assert.Equal(expected, digest.End());
            }
        }
    }
}
