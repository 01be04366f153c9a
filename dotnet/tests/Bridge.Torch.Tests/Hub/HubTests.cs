using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Hub.cs: downloads from a server of this process.</summary>
public sealed class HubTests : IDisposable
{
    private static readonly byte[] Content = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("weights ", 20000)));
    private readonly string _folder = Directory.CreateTempSubdirectory("bridge-hub-").FullName;

    /// <summary>A proxy that the machine has does not reach this process.</summary>
    static HubTests() => HttpClient.DefaultProxy = new WebProxy();

    public void Dispose()
    {
        hub.set_create_progress_bar_func(null);
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_file_comes_with_its_progress()
    {
        var bar = new Bar();
        hub.set_create_progress_bar_func(hidden => hidden ? throw new InvalidOperationException("hidden") : bar);
        var path = Path.Combine(_folder, "model.dat");
        var served = Serve("200 OK", Content, out var url);
        hub.download_url_to_file(url, path, Convert.ToHexString(SHA256.HashData(Content))[..8]);
        await served;
        Assert.Equal(Content, File.ReadAllBytes(path));
        Assert.Equal((Content.Length, Content.Length, true), (bar.Value, bar.Maximum, bar.Disposed));
    }

    [Theory]
    [InlineData("404 Not Found", null, typeof(HttpRequestException))]
    [InlineData("200 OK", "0000", typeof(InvalidDataException))]
    public async Task A_download_that_fails_leaves_the_file_that_was_there(string status, string? hash, Type failure)
    {
        var path = Path.Combine(_folder, "model.dat");
        File.WriteAllText(path, "before");
        var served = Serve(status, Content, out var url);
        Assert.Throws(failure, () => hub.download_url_to_file(url, path, hash, progress: false));
        await served;
        Assert.Equal("before", File.ReadAllText(path));
        Assert.Single(Directory.GetFiles(_folder));
    }

    /// <summary>Answers one request.</summary>
    private static Task Serve(string status, byte[] content, out string url)
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        url = $"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/model.dat";
        return Task.Run(async () =>
        {
            using var client = await listener.AcceptTcpClientAsync();
            listener.Stop();
            using var stream = client.GetStream();
            using var reader = new StreamReader(stream, leaveOpen: true);
            while (await reader.ReadLineAsync() is { Length: > 0 }) { }
            try
            {
                await stream.WriteAsync(Encoding.ASCII.GetBytes(
                    $"HTTP/1.1 {status}\r\nContent-Length: {content.Length}\r\nConnection: close\r\n\r\n"));
                await stream.WriteAsync(content);
            }
            catch (IOException)
            {
                // A client that was refused reads no more.
            }
        });
    }

    private sealed class Bar : IProgressBar
    {
        public long Value { get; set; }

        public long? Maximum { get; set; }

        public bool Disposed { get; private set; }

        public void Dispose() => Disposed = true;
    }
}
