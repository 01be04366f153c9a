using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Surface;

/// <summary>Every case by its number.</summary>
public sealed class Expressions : Module<long, object, object>
{
    private delegate object Case(/*parameters*/);

/*cases*/

    public Expressions() : base(nameof(Expressions))
    {
    }

    public override object forward(long number, object inputs)
    {
        var given = ((IEnumerable<object>)inputs).Cast<Tensor>().ToArray();
        return Cases[number](/*arguments*/);
    }

    private static System.Globalization.CultureInfo Invariant => System.Globalization.CultureInfo.InvariantCulture;

    /// <summary>One row in a style of its own; the options are what they were before.</summary>
    private static string Styled(Tensor row)
    {
        set_printoptions(2, newLine: "");
        try
        {
            return row.jlstr(cultureInfo: Invariant)[row.metastr().Length..].Trim();
        }
        finally
        {
            set_printoptions(floatFormat: "g5", newLine: System.Environment.NewLine);
        }
    }

    private static bool Tied()
    {
        var embedding = Embedding(5, 3);
        var head = Linear(3, 5, hasBias: false);
        head.weight = embedding.weight;
        return ReferenceEquals(head.weight, embedding.weight);
    }

    private static (bool, bool) Switched()
    {
        backends.cuda.enable_math_sdp(false);
        var off = backends.cuda.math_sdp_enabled();
        backends.cuda.enable_math_sdp(true);
        return (off, backends.cuda.math_sdp_enabled());
    }

    /// <summary>A download from a server of our own: its length as the bar saw it, and the text.</summary>
    private static (long, string) Downloaded()
    {
        var server = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, 0);
        server.Start();
        var answer = System.Threading.Tasks.Task.Run(() =>
        {
            using var client = server.AcceptTcpClient();
            client.GetStream().Read(new byte[4096], 0, 4096);
            client.GetStream().Write(System.Text.Encoding.ASCII.GetBytes(
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"));
        });
        var file = System.IO.Path.GetTempFileName();
        var bar = new Bar();
        try
        {
            hub.set_create_progress_bar_func(_ => bar);
            hub.download_url_to_file($"http://{server.LocalEndpoint}/", file, "ba7816bf");
            answer.Wait();
            return (bar.Value, System.IO.File.ReadAllText(file));
        }
        finally
        {
            hub.set_create_progress_bar_func(null);
            System.IO.File.Delete(file);
            server.Stop();
        }
    }

    private sealed class Bar : IProgressBar
    {
        public long Value { get; set; }

        public long? Maximum { get; set; }

        public void Dispose()
        {
        }
    }

    /// <summary>Tensors, numbers, truth values and texts, in order.</summary>
    private static List<object> Flat(object value)
    {
        switch (value)
        {
            case System.Runtime.CompilerServices.ITuple tuple:
                return Enumerable.Range(0, tuple.Length).SelectMany(at => Flat(tuple[at])).ToList();
            case string text:
                return [text];
            case System.Collections.IEnumerable many:
                return many.Cast<object>().SelectMany(Flat).ToList();
            case int number:
                return [(long)number];
            case float number:
                return [(double)number];
            default:
                return [value];
        }
    }
}
