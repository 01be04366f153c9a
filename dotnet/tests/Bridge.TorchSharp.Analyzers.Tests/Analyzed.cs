using System.Collections.Immutable;
using Bridge.TorchSharp.CodeFixes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Bridge.TorchSharp.Analyzers.Tests;

/// <summary>Has a program in a workspace, with all rules applied to it.</summary>
internal sealed class Analyzed
{
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using TorchSharp;
        global using TorchSharp.Modules;
        global using static TorchSharp.torch;
        global using static TorchSharp.torch.nn;
        """;

    private static readonly ImmutableArray<MetadataReference> References =
    [
        .. AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!.ToString()!.Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal))
            .Append(Path.Combine(AppContext.BaseDirectory, "TorchSharp.dll"))
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    private static readonly ImmutableArray<DiagnosticAnalyzer> Analyzers = [.. Created<DiagnosticAnalyzer>(typeof(Rules))];
    private static readonly ImmutableArray<EditingFix> Fixes = [.. Created<EditingFix>(typeof(EditingFix))];

    private readonly Solution _solution;

    private Analyzed(Solution solution, ImmutableArray<Diagnostic> reported)
    {
        _solution = solution;
        Reported = reported;
    }

    /// <summary>Gets the diagnostics of all rules, in order of document and place.</summary>
    internal ImmutableArray<Diagnostic> Reported { get; }

    /// <summary>Gets the texts of the documents.</summary>
    internal string[] Texts => [.. Documents(_solution).Select(document => document.GetTextAsync().Result.ToString())];

    /// <summary>Compiles the sources, which must have no error, and applies the rules.</summary>
    internal static async Task<Analyzed> Of(string[] sources, string config = "")
    {
        var project = ProjectId.CreateNewId();
        var options = new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable);
        var solution = new AdhocWorkspace().CurrentSolution.AddProject(
            ProjectInfo.Create(
                project, VersionStamp.Default, "Program", "Program", LanguageNames.CSharp,
                compilationOptions: options, metadataReferences: References));
        solution = solution.AddDocument(DocumentId.CreateNewId(project), "Usings.cs", Usings);
        for (var number = 0; number < sources.Length; number++)
        {
            var path = $"/program/File{number}.cs";
            solution = solution.AddDocument(DocumentId.CreateNewId(project), Path.GetFileName(path), sources[number], filePath: path);
        }
        if (config.Length > 0)
        {
            var text = Microsoft.CodeAnalysis.Text.SourceText.From(config);
            solution = solution.AddAnalyzerConfigDocument(
                DocumentId.CreateNewId(project), ".editorconfig", text, filePath: "/program/.editorconfig");
        }
        return await Of(solution);
    }

    /// <summary>Fixes one diagnostic.</summary>
    internal async Task<Analyzed> Fixed(Diagnostic diagnostic)
    {
        CodeAction? offered = null;
        var context = new CodeFixContext(
            _solution.GetDocument(diagnostic.Location.SourceTree)!, diagnostic, (action, _) => offered ??= action, default);
        await Fix(diagnostic.Id).RegisterCodeFixesAsync(context);
        return offered is null ? this : await After(offered);
    }

    /// <summary>Fixes all diagnostics of a rule.</summary>
    internal async Task<Analyzed> AllFixed(string id, FixAllScope scope = FixAllScope.Solution)
    {
        var reported = Reported.Where(diagnostic => diagnostic.Id == id).ToList();
        var first = _solution.GetDocument(reported[0].Location.SourceTree)!;
        var fix = Fix(id);
        var context = new FixAllContext(first, fix, scope, id, [id], new Given(reported), default);
        return await After((await fix.GetFixAllProvider().GetFixAsync(context))!);
    }

    private static async Task<Analyzed> Of(Solution solution)
    {
        var project = solution.Projects.Single();
        var compilation = (await project.GetCompilationAsync())!;
        Assert.Equal([], compilation.GetDiagnostics().Where(found => found.Severity == DiagnosticSeverity.Error));
        var found = await compilation.WithAnalyzers(Analyzers, project.AnalyzerOptions).GetAnalyzerDiagnosticsAsync();
        Assert.DoesNotContain(found, diagnostic => diagnostic.Id == "AD0001"); // an analyzer threw
        var ordered = found.Select(diagnostic => (Place: diagnostic.Location, diagnostic))
            .OrderBy(pair => pair.Place.SourceTree!.FilePath, StringComparer.Ordinal)
            .ThenBy(pair => pair.Place.SourceSpan);
        return new Analyzed(solution, [.. ordered.Select(pair => pair.diagnostic)]);
    }

    private static async Task<Analyzed> After(CodeAction action)
    {
        var operations = await action.GetOperationsAsync(default);
        return await Of(operations.OfType<ApplyChangesOperation>().Single().ChangedSolution);
    }

    private static EditingFix Fix(string id) => Fixes.Single(fix => fix.FixableDiagnosticIds.Contains(id));

    private static IEnumerable<Document> Documents(Solution solution) => solution.Projects.Single().Documents.Skip(1);

    private static IEnumerable<T> Created<T>(Type neighbor) => neighbor.Assembly.GetTypes()
        .Where(type => typeof(T).IsAssignableFrom(type) && !type.IsAbstract)
        .Select(type => (T)Activator.CreateInstance(type, nonPublic: true)!);

    /// <summary>Gives the diagnostics of a document to those who fix them all.</summary>
    private sealed class Given(List<Diagnostic> reported) : FixAllContext.DiagnosticProvider
    {
        public override async Task<IEnumerable<Diagnostic>> GetDocumentDiagnosticsAsync(Document document, CancellationToken cancellation)
        {
            var tree = await document.GetSyntaxTreeAsync(cancellation);
            return reported.Where(diagnostic => diagnostic.Location.SourceTree == tree);
        }

        public override Task<IEnumerable<Diagnostic>> GetProjectDiagnosticsAsync(Project project, CancellationToken cancellation) =>
            Task.FromResult<IEnumerable<Diagnostic>>([]);

        public override Task<IEnumerable<Diagnostic>> GetAllDiagnosticsAsync(Project project, CancellationToken cancellation) =>
            Task.FromResult<IEnumerable<Diagnostic>>(reported);
    }
}
