using System.Text.Json;
using Microsoft.CodeAnalysis;

namespace Diagnosis;

/// <summary>What is asked for: models to plant in, assemblies to compile against, a folder, and kinds (none: all).</summary>
internal sealed record Request(Subject[] Subjects, string[] References, string Folder, string[] Kinds);

/// <summary>
/// Plants mistakes in the models of a request, which is a JSON file, and lists them in <c>NAME.json</c> beside each assembly.
/// </summary>
internal static class Program
{
    private static readonly JsonSerializerOptions s_options =
        new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower, WriteIndented = true };

    /// <summary>Every kind.</summary>
    private static IEnumerable<Kind> Kinds => [.. Settings.Kinds, .. Children.Kinds, .. Operators.Kinds, .. Shapes.Kinds, .. Modes.Kinds];

    private static int Main(string[] arguments)
    {
        if (arguments is ["kinds"])
        {
            Console.WriteLine(JsonSerializer.Serialize(Kinds.Select(one => one.Name)));
            return 0;
        }

        var request = JsonSerializer.Deserialize<Request>(File.ReadAllText(arguments[0]), s_options)!;
        // What runs this program is what runs the models.
        var framework = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(one => Path.GetFileName(one) is var name && (name.StartsWith("System") || name is "netstandard.dll" or "mscorlib.dll"));
        MetadataReference[] references = [.. framework.Concat(request.References).Select(one => MetadataReference.CreateFromFile(one))];
        Kind[] kinds = [.. Kinds.Where(one => request.Kinds.Length == 0 || request.Kinds.Contains(one.Name))];
        foreach (var subject in request.Subjects)
        {
            var planted = new Planting(subject, references).Write(request.Folder, kinds);
            File.WriteAllText(Path.Combine(request.Folder, subject.Name + ".json"), JsonSerializer.Serialize(planted, s_options));
            Console.WriteLine($"{subject.Name}: {planted.Count} mutants");
        }

        return 0;
    }
}
