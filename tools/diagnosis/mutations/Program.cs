using System.Text;
using System.Text.Json;
using Diagnosis;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

// Mutations SOURCE FOLDER REFERENCE…: plants every mistake in a model, and writes NAME.dll with all mutants and NAME.json about them.
Kind[] kinds = [.. Settings.Kinds, .. Children.Kinds, .. Operators.Kinds, .. Shapes.Kinds, .. Modes.Kinds];
var stem = Path.Combine(args[1], Path.GetFileNameWithoutExtension(args[0]));
var source = Planting.Tree(File.ReadAllText(args[0]), Path.GetFileName(args[0]));
var planted = new Planting(source, args[2..]).Write(stem, kinds);
var options = new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower, WriteIndented = true };
File.WriteAllText(stem + ".json", JsonSerializer.Serialize(planted, options));

/// <summary>A mutant, as the judge reads it. Lines count from 1; those of its statement are <c>First</c> to <c>Last</c>.</summary>
internal sealed record Mutant(
    string Id, string Kind, string File, int Line, int First, int Last, string OwnerClass, string[] Children, bool Owner,
    string[] Findings, string[][] Words, string Before, string After);

/// <summary>The mutants of a model, whose namespace is <c>Models</c>: each in a namespace of its own, all in one assembly.</summary>
internal sealed class Planting(SyntaxTree source, IEnumerable<string> references)
{
    private static readonly string s_usings = string.Concat(
        new[] { "", ".Collections.Generic", ".IO", ".Linq", ".Threading", ".Threading.Tasks" }.Select(name =>
            $"global using global::System{name};\n"))
        + "[assembly: System.Runtime.Versioning.TargetFramework(\".NETCoreApp,Version=v8.0\")]\n";

    /// <summary>The framework of this process, and the given assemblies.</summary>
    private readonly MetadataReference[] _references = [..
        from path in ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path) is "netstandard.dll" or "mscorlib.dll" || Path.GetFileName(path).StartsWith("System"))
            .Concat(references)
        select MetadataReference.CreateFromFile(path)];

    public static SyntaxTree Tree(string text, string path) =>
        CSharpSyntaxTree.ParseText(SourceText.From(text, Encoding.UTF8), new(LanguageVersion.Latest), path);

    /// <summary>Compiles the mutants, without those that do not compile, into an assembly with symbols.</summary>
    public IEnumerable<Mutant> Write(string stem, IEnumerable<Kind> kinds)
    {
        var model = Compile(stem, [source]).GetSemanticModel(source);
        var changes = from kind in kinds
                      from node in source.GetRoot().DescendantNodes()
                      from change in kind.At(new(node, model))
                      select (kind.Name, Change: change);
        var mutants = changes.Select((each, index) => Mutated(each.Name, each.Change, $"M{index:D3}")).ToList();
        while (true)
        {
            var all = Compile(stem, [source, .. mutants.Select(each => each.Tree)]);
            var broken = all.GetDiagnostics().Where(each => each.Severity == DiagnosticSeverity.Error).ToArray();
            if (broken.Length == 0)
            {
                using var library = File.Create(stem + ".dll");
                using var symbols = File.Create(stem + ".pdb");
                all.Emit(library, symbols, options: new EmitOptions(
                    debugInformationFormat: DebugInformationFormat.PortablePdb, pdbFilePath: stem + ".pdb"));
                return mutants.Select(each => each.Mutant);
            }

            if (mutants.RemoveAll(each => broken.Any(error => error.Location.SourceTree == each.Tree)) == 0)
            {
                throw new InvalidOperationException($"{stem} does not compile without a mistake: {broken[0]}");
            }
        }
    }

    private CSharpCompilation Compile(string stem, IEnumerable<SyntaxTree> trees) =>
        CSharpCompilation.Create(Path.GetFileName(stem), [.. trees, Tree(s_usings, "Usings.cs")], _references,
            new(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable, warningLevel: 0));

    private (Mutant Mutant, SyntaxTree Tree) Mutated(string kind, Change change, string id)
    {
        var root = source.GetRoot().ReplaceNode(change.Old, change.New.WithTriviaFrom(change.Old));
        var (old, other) = (source.GetText().Lines, SourceText.From(root.ToFullString()).Lines);
        if (old.Count != other.Count)
        {
            throw new InvalidOperationException($"{kind} changes the number of lines: {change.New}");
        }

        // The line of the first character that changes.
        var same = change.Old.ToString().Zip(change.New.ToString()).TakeWhile(each => each.First == each.Second).Count();
        var place = new TextSpan(change.Old.SpanStart + Math.Min(same, change.Old.Span.Length - 1), 1);
        var line = source.GetLineSpan(place).StartLinePosition.Line;
        var statement = change.Old.FirstAncestorOrSelf<StatementSyntax>(each => each is not BlockSyntax)
            ?? change.Old.FirstAncestorOrSelf<MemberDeclarationSyntax>() ?? change.Old;
        var span = source.GetLineSpan(statement is ClassDeclarationSyntax or MethodDeclarationSyntax ? place : statement.Span);
        var changed = Enumerable.Range(0, old.Count).FirstOrDefault(each => $"{old[each]}" != $"{other[each]}");
        var names = ComponentNames(change.Old);
        var mutant = new Mutant(
            id, kind, source.FilePath, line + 1, Math.Min(line, span.StartLinePosition.Line) + 1,
            Math.Max(line, span.EndLinePosition.Line) + 1,
            change.Old.FirstAncestorOrSelf<ClassDeclarationSyntax>()?.Identifier.Text ?? "",
            [.. change.Children.Select(child => Registered(child, names))], change.Owner, change.Findings,
            [.. change.Words.Select(row => row.Split('|')).Select(row => row.Union(row.Select(word => Registered(word, names))).ToArray())],
            $"{old[changed]}".Trim(), $"{other[changed]}".Trim());
        var space = root.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>().Single().Name;
        root = root.ReplaceNode(space, SyntaxFactory.IdentifierName(id).WithTriviaFrom(space));
        return (mutant, Tree(root.ToFullString(), $"{id}/{source.FilePath}"));
    }

    /// <summary>The names that <c>[ComponentName(Name = "…")]</c> gives to fields of a node's class.</summary>
    private static Dictionary<string, string> ComponentNames(SyntaxNode node) =>
        (from field in node.FirstAncestorOrSelf<ClassDeclarationSyntax>()?.Members.OfType<FieldDeclarationSyntax>() ?? []
         from attribute in field.AttributeLists.SelectMany(list => list.Attributes)
         where attribute.Name.ToString() == "ComponentName"
         from literal in attribute.ArgumentList?.Arguments.Select(argument => argument.Expression).OfType<LiteralExpressionSyntax>() ?? []
         select (Field: field.Declaration.Variables[0].Identifier.Text, Name: literal.Token.ValueText))
        .ToDictionary(each => each.Field, each => each.Name);

    /// <summary>The path of a module that begins with a field, as PyTorch has it.</summary>
    private static string Registered(string path, Dictionary<string, string> names)
    {
        var field = path.Split('.')[0];
        return names.GetValueOrDefault(field, field) + path[field.Length..];
    }
}
