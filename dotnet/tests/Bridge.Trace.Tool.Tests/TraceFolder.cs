using System.Security.Cryptography;
using System.Text;

namespace Bridge.Trace.Tool.Tests;

/// <summary>A folder with trace files, deleted at the end of the test.</summary>
public abstract class TraceFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("trace");

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }

    protected string Path(string name) => System.IO.Path.Combine(_folder.FullName, name);

    protected string Write(string name, params string[] events) => Write(name, "torchsharp", events);

    /// <summary>Writes a trace file of events without values.</summary>
    protected string Write(string name, string runtime, string[] events)
    {
        var path = Path(name);
        var header =
            $$"""{"schema":1,"runtime":"{{runtime}}","runtime_version":"0.107.0","bridge":"0.1.0","torch":"2.10.0","python":"",""" +
            """ "dotnet":"10.0.1","device":"cpu","threads":2,"seed":0,"modules":2,"values":"none",""" +
            """ "roots":[""],"inputs":{},"weights":{}}""" + "\n";
        var lines = string.Concat(events.Select(line => line + "\n"));
        var digest = Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(lines))).ToLowerInvariant();
        File.WriteAllText(path, header + lines + $$"""{"events":{{events.Length}},"known":0,"digest":"{{digest}}"}""" + "\n");
        return path;
    }

    /// <summary>Returns the line of an event.</summary>
    protected static string Event(int number, string path, string type, string phase, int call, int parent, string values = "") =>
        $$"""{"seq":{{number}},"path":"{{path}}","type":"{{type}}","phase":"{{phase}}","call":{{call}},"parent":{{parent}},"hook":0,""" +
        $$""" "scope":"global","values":[{{values}}]}""";

    protected static string Tensor(string shape) =>
        $$"""{"kind":"tensor","shape":[{{shape}}],"dtype":"float32","device":"cpu","digest":null,"data":null}""";

    /// <summary>Returns the events of a model with one child, <c>fc</c>.</summary>
    protected static string[] Net(string phase = "forward") =>
    [
        Event(0, "", "Net", "pre", 0, -1, Tensor("3,4")),
        .. phase == "bypass" ? Array.Empty<string>() : [Event(1, "fc", "Linear", "pre", 1, 0, Tensor("3,4"))],
        Event(2, "fc", "Linear", phase, phase == "bypass" ? -1 : 1, 0, Tensor("3,2")),
        Event(3, "", "Net", "forward", 0, -1, Tensor("3,2")),
    ];
}
