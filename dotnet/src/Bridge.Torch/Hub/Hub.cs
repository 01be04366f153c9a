using System.Security.Cryptography;
using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The functions of torch.hub that download files.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/hub.html">torch.hub</see>.</remarks>
    public static partial class hub
    {
        private static Func<bool, IProgressBar>? _bars;

        /// <summary>Sets the function that creates progress bars; null for a line on standard error.</summary>
        /// <param name="func">Takes whether the progress bar is to be hidden, and returns a new progress bar.</param>
        public static void set_create_progress_bar_func(Func<bool, IProgressBar>? func) => _bars = func;

        /// <summary>Creates a progress bar; if <paramref name="hidden"/> is true, one that should show nothing.</summary>
        /// <param name="hidden">Whether the progress bar should show nothing.</param>
        public static IProgressBar CreateProgressBar(bool hidden) => _bars?.Invoke(hidden) ?? new ConsoleProgressBar(hidden);

        /// <summary>Downloads a file and returns when it is complete.</summary>
        /// <inheritdoc cref="download_url_to_file_async"/>
        public static void download_url_to_file(string url, string dst, string? hash_prefix = null, bool progress = true) =>
            Task.Run(() => download_url_to_file_async(url, dst, hash_prefix, progress)).GetAwaiter().GetResult();

        /// <summary>Downloads a file. A download that fails or is cancelled leaves an existing file unchanged.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/hub.html#torch.hub.download_url_to_file">torch.hub.download_url_to_file</see>.
        /// </remarks>
        /// <param name="url">The address.</param>
        /// <param name="dst">The path of the file.</param>
        /// <param name="hash_prefix">The beginning of the file's SHA-256 in hexadecimal digits; null for no check.</param>
        /// <param name="progress">Whether to show the progress.</param>
        /// <param name="cancellationToken">Cancels the download.</param>
        /// <returns>The task, which ends when the file is complete.</returns>
        /// <exception cref="HttpRequestException">The server cannot be reached or returns an error.</exception>
        /// <exception cref="InvalidDataException">The file's SHA-256 has another beginning.</exception>
        /// <exception cref="OperationCanceledException">
        /// The download was cancelled, or the server did not answer within 100 seconds.
        /// </exception>
        public static async Task download_url_to_file_async(string url, string dst, string? hash_prefix = null, bool progress = true,
            CancellationToken cancellationToken = default)
        {
            var part = $"{dst}.{Guid.NewGuid():N}.part";
            try
            {
                var hash = await Fetch(url, part, progress, cancellationToken).ConfigureAwait(false);
                if (hash_prefix is not null && !hash.StartsWith(hash_prefix, StringComparison.OrdinalIgnoreCase))
                    throw new InvalidDataException($"{url} has the SHA-256 {hash}, not {hash_prefix}…");
                File.Move(part, dst, overwrite: true);
            }
            finally
            {
                File.Delete(part);
            }
        }

        /// <returns>The SHA-256 of the downloaded bytes.</returns>
        private static async Task<string> Fetch(string url, string path, bool progress, CancellationToken cancellation)
        {
            using var bar = CreateProgressBar(!progress);
            using var client = new HttpClient();
            using var response = await client.GetAsync(url, HttpCompletionOption.ResponseHeadersRead, cancellation).ConfigureAwait(false);
            response.EnsureSuccessStatusCode();
            bar.Maximum = response.Content.Headers.ContentLength;
            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            using var from = await response.Content.ReadAsStreamAsync(cancellation).ConfigureAwait(false);
            using var to = File.Create(path);
            var buffer = new byte[1 << 16];
            while (await from.ReadAsync(buffer, cancellation).ConfigureAwait(false) is > 0 and var count)
            {
                hash.AppendData(buffer, 0, count);
                await to.WriteAsync(buffer.AsMemory(0, count), cancellation).ConfigureAwait(false);
                bar.Value += count;
            }

            return Convert.ToHexString(hash.GetHashAndReset()).ToLowerInvariant();
        }
    }
}
