using System.Formats.Tar;
using System.IO.Compression;

namespace TorchSharp.Utils;

/// <summary>Functions that unpack compressed data sets.</summary>
public static class Decompress
{
    /// <summary>Unpacks a <c>.gz</c> file into a folder, under its name without <c>.gz</c>.</summary>
    public static void DecompressGZipFile(string gzipFileName, string targetDir)
    {
        using var packed = File.OpenRead(gzipFileName);
        using var stream = new GZipStream(packed, CompressionMode.Decompress);
        using var file = File.Create(Path.Combine(targetDir, Path.GetFileNameWithoutExtension(gzipFileName)));
        stream.CopyTo(file);
    }

    /// <summary>
    /// Unpacks an archive <c>NAME.tar.gz</c> into a folder, then creates an empty file <c>NAME.bin</c> there. Does nothing if
    /// <c>NAME.bin</c> exists.
    /// </summary>
    public static void ExtractTGZ(string gzArchiveName, string destFolder)
    {
        var done = Path.Combine(destFolder, Path.GetFileName(gzArchiveName).Split('.')[0] + ".bin");
        if (File.Exists(done)) return;
        using (var packed = File.OpenRead(gzArchiveName))
        using (var stream = new GZipStream(packed, CompressionMode.Decompress))
        {
            Directory.CreateDirectory(destFolder);
            TarFile.ExtractToDirectory(stream, destFolder, overwriteFiles: true);
        }

        File.Create(done).Dispose();
    }
}
