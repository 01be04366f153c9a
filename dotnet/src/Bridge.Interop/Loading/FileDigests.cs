using System.Security.Cryptography;

namespace Bridge.Interop;

/// <summary>The digests of the files that a load context has read.</summary>
internal sealed class FileDigests
{
    private readonly Dictionary<string, byte[]> _digests = [];

    /// <summary>Gets whether every file still has the contents that were read.</summary>
    /// <remarks>Compares digests, since an edit may keep a file's size and, within a tick of the file system's clock, its time.</remarks>
    internal bool AreCurrent
    {
        get
        {
            lock (_digests) return _digests.All(file => File.Exists(file.Key) && file.Value.AsSpan().SequenceEqual(Compute(file.Key)));
        }
    }

    internal void Add(string path, byte[] contents)
    {
        lock (_digests) _digests[path] = SHA256.HashData(contents);
    }

    private static byte[] Compute(string path)
    {
        using var stream = File.OpenRead(path);
        return SHA256.HashData(stream);
    }
}
