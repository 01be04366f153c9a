using System.Formats.Tar;
using System.IO.Compression;

namespace TorchSharp.Utils;

/// <summary>Functions that unpack compressed data sets.</summary>
public static class Decompress
{
    /// <summary>Unpacks a <c>.gz</c> file into a folder, under its name without <c>.gz</c>.</summary>
    /// <param name="gzipFileName">The path of the <c>.gz</c> file.</param>
    /// <param name="targetDir">The folder, which must exist. A file of the same name is overwritten.</param>
    public static void DecompressGZipFile(string gzipFileName, string targetDir)
    {
        using var packed = File.OpenRead(gzipFileName);
        using var stream = new GZipStream(packed, CompressionMode.Decompress);
        using var file = File.Create(Path.Combine(targetDir, Path.GetFileNameWithoutExtension(gzipFileName)));
        stream.CopyTo(file);
    }

    /// <summary>
    /// Unpacks an archive <c>NAME.tar.gz</c> into a folder, then creates an empty file <c>NAME.bin</c> there. Does nothing if
    /// <c>NAME.bin</c> exists. <c>NAME</c> ends at the first dot of the file name.
    /// </summary>
    /// <param name="gzArchiveName">The path of the archive.</param>
    /// <param name="destFolder">The folder, which is created if it does not exist.</param>
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
