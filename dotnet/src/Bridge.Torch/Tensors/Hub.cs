using System.Net.Http;
using System.Security.Cryptography;

namespace TorchSharp;

/// <summary>How far a download is, in bytes.</summary>
public interface IProgressBar : IDisposable
{
    long Value { get; set; }

    /// <summary>Null where it is not known.</summary>
    long? Maximum { get; set; }
}

public static partial class torch
{
    /// <summary>Downloads.</summary>
    public static partial class hub
    {
        private static Func<bool, IProgressBar>? _create;

        /// <summary>What <see cref="CreateProgressBar"/> calls; null for the console's.</summary>
        public static void set_create_progress_bar_func(Func<bool, IProgressBar>? func) => _create = func;

        public static IProgressBar CreateProgressBar(bool hidden) => _create?.Invoke(hidden) ?? new Percent(hidden);

        /// <exception cref="InvalidDataException">The file's SHA-256 does not begin with <paramref name="hash_prefix"/>.</exception>
        public static void download_url_to_file(string url, string dst, string? hash_prefix = null, bool progress = true) =>
            Task.Run(() => download_url_to_file_async(url, dst, hash_prefix, progress)).GetAwaiter().GetResult();

        /// <exception cref="InvalidDataException">The file's SHA-256 does not begin with <paramref name="hash_prefix"/>.</exception>
        public static async Task download_url_to_file_async(string url, string dst, string? hash_prefix = null, bool progress = true, CancellationToken cancellationToken = default)
        {
            try
            {
                using var bar = CreateProgressBar(!progress);
                using var client = new HttpClient();
                using var response = await client.GetAsync(url, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
                bar.Maximum = response.EnsureSuccessStatusCode().Content.Headers.ContentLength;
                using var reader = await response.Content.ReadAsStreamAsync(cancellationToken);
                using var writer = File.Create(dst);
                var buffer = new byte[1 << 16];
                for (int read; (read = await reader.ReadAsync(buffer, cancellationToken)) > 0; bar.Value += read) await writer.WriteAsync(buffer.AsMemory(0, read), cancellationToken);
            }
            catch
            {
                File.Delete(dst);
                throw;
            }

            using var written = File.OpenRead(dst);
            var hash = Convert.ToHexString(SHA256.HashData(written)).ToLowerInvariant();
            if (hash_prefix is not null && !hash.StartsWith(hash_prefix, StringComparison.Ordinal)) throw new InvalidDataException($"invalid hash value (expected \"{hash_prefix}\", got \"{hash}\")");
        }

        private sealed class Percent(bool hidden) : IProgressBar
        {
            private long _value;
            private long _shown = -1;

            public long Value
            {
                get => _value;
                set
                {
                    _value = value;
                    if (hidden || Maximum is not > 0 || _shown == value * 100 / Maximum) return;
                    _shown = value * 100 / Maximum.Value;
                    Console.Error.Write($"\r{_shown,3} %");
                }
            }

            public long? Maximum { get; set; }

            public void Dispose()
            {
                if (_shown >= 0) Console.Error.WriteLine();
            }
        }
    }
}
