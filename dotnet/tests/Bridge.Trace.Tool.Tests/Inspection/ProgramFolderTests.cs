using Bridge.Trace.Tool.Inspection;

namespace Bridge.Trace.Tool.Tests.Inspection;

public sealed class ProgramFolderTests : TraceFolder
{
    private static readonly string Ours = typeof(Examined).Assembly.Location;

    [Fact]
    public void TheFilesOfAProgramAreFound()
    {
        var checks = Checks(Ours);
        Assert.Equal((CheckState.Ok, "Bridge.Trace.Tool.Tests.dll refers to TorchSharp 0.107.0"), checks["assembly"]);
        Assert.Equal((CheckState.Ok, "0.107.0"), checks["TorchSharp"]);
        Assert.Equal(CheckState.Ok, checks["LibTorchSharp"].State);
        // This project has no libtorch and no recorder.
        Assert.Equal(CheckState.Problem, checks["libtorch"].State);
        Assert.Equal(CheckState.Note, checks["Bridge.TorchSharp"].State);
        Assert.Equal(CheckState.Note, checks["forward()"].State);
    }

    [Fact]
    public void AnEmptyFolderHasProblems()
    {
        var checks = Checks(Path(""));
        var problems = checks.Where(item => item.Value.State == CheckState.Problem).Select(item => item.Key);
        Assert.Equal(["TorchSharp", "LibTorchSharp", "libtorch"], problems);
        Assert.DoesNotContain("assembly", checks.Keys);
    }

    [Fact]
    public void OtherFilesAreNoAssemblies()
    {
        File.WriteAllText(Path("Net.dll"), "nonsense");
        Assert.Equal((CheckState.Problem, "Net.dll is not a .NET assembly"), Checks(Path("Net.dll"))["assembly"]);
    }

    [Fact]
    public void TheFolderOfAProjectIsNamed()
    {
        File.WriteAllText(Path("Net.csproj"), "<Project />");
        var check = new ProgramFolder(Path("")).Checks().Single(item => item.Name == "TorchSharp");
        Assert.StartsWith("This is the folder of a project: build it", check.Fix, StringComparison.Ordinal);
    }

    [Fact]
    public void ATorchSharpWithoutCodeIsAProblem()
    {
        File.Copy(typeof(ProgramFolder).Assembly.Location, Path("TorchSharp.dll"));
        Assert.Equal(CheckState.Problem, Checks(Path(""))["TorchSharp"].State);
    }

    [Fact]
    public void TheRecorderNeedsBridgeHooks()
    {
        File.Copy(Ours, Path("Bridge.TorchSharp.dll"));
        Assert.Equal(CheckState.Problem, Checks(Path(""))["Bridge.TorchSharp"].State);
        File.Copy(Ours, Path("Bridge.Hooks.dll"));
        Assert.Equal(CheckState.Ok, Checks(Path(""))["Bridge.TorchSharp"].State);
    }

    private static Dictionary<string, (CheckState State, string Text)> Checks(string path) =>
        new ProgramFolder(path).Checks().ToDictionary(check => check.Name, check => (check.State, check.Text));
}
