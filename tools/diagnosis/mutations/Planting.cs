using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

namespace Diagnosis;

/// <summary>A model to plant mistakes in: its sources, which are all in one namespace.</summary>
internal sealed record Subject(string Name, string[] Files, string Namespace);

/// <summary>A planted mistake, as the judge reads it. Lines count from 1; <c>First</c> to <c>Last</c> are those of its statement.</summary>
internal sealed record Mutant(
    string Id, string Kind, string File, int Line, int First, int Last, string Class, string Member, string[] Children, bool Owner,
    string[] Findings, string[][] Words, string Before, string After);

/// <summary>Plants every change of every kind in a model, each in a namespace of its own, and compiles all of them at once.</summary>
internal sealed class Planting(Subject subject, IReadOnlyList<MetadataReference> references)
{
    private static readonly CSharpParseOptions s_parse = new(LanguageVersion.Latest);
    private static readonly string s_usings = string.Concat(
        new[] { "", ".Collections.Generic", ".IO", ".Linq", ".Threading", ".Threading.Tasks" }.Select(one =>
            $"global using global::System{one};\n"))
        + "[assembly: System.Runtime.Versioning.TargetFramework(\".NETCoreApp,Version=v8.0\")]\n";

    /// <summary>Writes <c>NAME.dll</c> and <c>NAME.pdb</c> into a folder, and gives what is in it.</summary>
    /// <exception cref="InvalidOperationException">The model does not compile as it is.</exception>
    public IReadOnlyList<Mutant> Write(string folder, IReadOnlyList<Kind> kinds)
    {
        var sources = subject.Files.Select(file => Tree(File.ReadAllText(file), Path.GetFileName(file))).ToArray();
        var whole = Compilation(sources);
        if (Errors(whole).FirstOrDefault() is { } wrong)
        {
            throw new InvalidOperationException($"{subject.Name} does not compile as it is: {wrong}");
        }

        var planted = new List<(Mutant Mutant, SyntaxTree[] Trees)>();
        foreach (var kind in kinds)
        {
            foreach (var source in sources)
            {
                var code = new Code(whole.GetSemanticModel(source));
                foreach (var change in source.GetRoot().DescendantNodes().SelectMany(node => kind.At(node, code)))
                {
                    planted.Add(Planted(kind, source, change, sources, $"M{planted.Count:D3}"));
                }
            }
        }

        // Those that do not compile are left out, until the rest does.
        var original = sources.ToArray();
        while (true)
        {
            var all = Compilation([.. original, .. planted.SelectMany(one => one.Trees)]);
            var broken = Errors(all).Select(one => one.Location.SourceTree).ToHashSet();
            if (broken.Count == 0)
            {
                Emit(all, Path.Combine(folder, subject.Name));
                return [.. planted.Select(one => one.Mutant)];
            }

            if (planted.RemoveAll(one => one.Trees.Any(broken.Contains)) == 0)
            {
                throw new InvalidOperationException(string.Join("\n", Errors(all).Take(5)));
            }
        }
    }

    private (Mutant Mutant, SyntaxTree[] Trees) Planted(Kind kind, SyntaxTree source, Change change, SyntaxTree[] sources, string space)
    {
        var changed = change.New.WithTriviaFrom(change.Old);
        var root = source.GetRoot().ReplaceNode(change.Old, changed);
        var place = Place(change, source);
        var (before, after) = Difference(source.GetText(), SourceText.From(root.ToFullString()));
        var statement = change.Old.FirstAncestorOrSelf<StatementSyntax>(one => one is not BlockSyntax)
            ?? change.Old.FirstAncestorOrSelf<MemberDeclarationSyntax>() ?? change.Old;
        var lines = source.GetLineSpan(statement is ClassDeclarationSyntax or MethodDeclarationSyntax ? place : statement.Span);
        var line = source.GetLineSpan(place).StartLinePosition.Line + 1;
        var components = Components(change.Old);
        string[] children = [.. change.Children.Select(child => Renamed(child, components))];
        string[][] words = [.. change.Cause.Words.Select(row =>
            row.Concat(row.Select(word => Renamed(word, components))).Distinct().ToArray())];
        var mutant = new Mutant(
            space, kind.Name, source.FilePath, line, Math.Min(line, lines.StartLinePosition.Line + 1),
                Math.Max(line, lines.EndLinePosition.Line + 1),
            change.Old.FirstAncestorOrSelf<ClassDeclarationSyntax>()?.Identifier.Text ?? "", Member(change.Old), children, change.Owner,
            change.Cause.Kinds, words, before, after);
        var trees = sources.Select(one => Tree(Renamed(one == source ? root : one.GetRoot(), space), $"{space}/{one.FilePath}")).ToArray();
        return (mutant, trees);
    }

    /// <summary>
    /// The names under which fields of the class are registered, where <c>[ComponentName(Name = "…")]</c> gives them others.
    /// </summary>
    private static Dictionary<string, string> Components(SyntaxNode node) =>
        (from field in node.FirstAncestorOrSelf<ClassDeclarationSyntax>()?.Members.OfType<FieldDeclarationSyntax>() ?? []
         from attribute in field.AttributeLists.SelectMany(list => list.Attributes)
         where attribute.Name.ToString() == "ComponentName"
         let given = attribute.ArgumentList?.Arguments.Select(one => one.Expression).OfType<LiteralExpressionSyntax>().FirstOrDefault()
         where given is not null
         select (Field: field.Declaration.Variables[0].Identifier.Text, Name: given.Token.ValueText)).ToDictionary(one =>
             one.Field, one => one.Name);

    /// <summary>A path whose first part is the name under which that field is registered.</summary>
    private static string Renamed(string path, Dictionary<string, string> components)
    {
        var first = path.Split('.')[0];
        return components.TryGetValue(first, out var name) ? name + path[first.Length..] : path;
    }

    /// <summary>The part of a change that really changes.</summary>
    private static TextSpan Place(Change change, SyntaxTree source)
    {
        var (old, other) = (change.Old.ToString(), change.New.WithoutTrivia().ToFullString());
        var same = old.Zip(other).TakeWhile(one => one.First == one.Second).Count();
        return new(change.Old.SpanStart + Math.Min(same, old.Length - 1), 1);
    }

    private static (string Before, string After) Difference(SourceText old, SourceText other)
    {
        var (a, b) = (old.Lines.Select(one => one.ToString()).ToArray(), other.Lines.Select(one => one.ToString()).ToArray());
        var at = Enumerable.Range(0, Math.Min(a.Length, b.Length)).FirstOrDefault(line => a[line] != b[line]);
        if (a.Length != b.Length)
        {
            throw new InvalidOperationException($"a change has other lines: {b[at]}");
        }

        return (a[at].Trim(), b[at].Trim());
    }

    private static string Member(SyntaxNode node) =>
        node.FirstAncestorOrSelf<MemberDeclarationSyntax>(one =>
            one is MethodDeclarationSyntax or ConstructorDeclarationSyntax or FieldDeclarationSyntax) switch
    {
        MethodDeclarationSyntax method => method.Identifier.Text,
        ConstructorDeclarationSyntax => ".ctor",
        FieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier.Text,
        _ => "",
    };

    private string Renamed(SyntaxNode root, string space)
    {
        var name = root.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>()
            .Single(one => one.Name.ToString() == subject.Namespace).Name;
        return root.ReplaceNode(name, SyntaxFactory.IdentifierName(space).WithTriviaFrom(name)).ToFullString();
    }

    private static SyntaxTree Tree(string text, string path) =>
        CSharpSyntaxTree.ParseText(SourceText.From(text, Encoding.UTF8), s_parse, path);

    private CSharpCompilation Compilation(IEnumerable<SyntaxTree> trees) =>
        CSharpCompilation.Create(subject.Name, [.. trees, Tree(s_usings, "Usings.cs")], references,
            new(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Debug,
                nullableContextOptions: NullableContextOptions.Enable, warningLevel: 0));

    private static IEnumerable<Diagnostic> Errors(CSharpCompilation all) =>
        all.GetDiagnostics().Where(one => one.Severity == DiagnosticSeverity.Error);

    private static void Emit(CSharpCompilation all, string stem)
    {
        using var library = File.Create(stem + ".dll");
        using var symbols = File.Create(stem + ".pdb");
        var done = all.Emit(library, symbols, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb,
            pdbFilePath: stem + ".pdb"));
        if (!done.Success)
        {
            throw new InvalidOperationException(string.Join("\n", done.Diagnostics));
        }
    }
}
