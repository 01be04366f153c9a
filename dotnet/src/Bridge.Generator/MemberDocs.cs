using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Bridge.Generator;

/// <summary>The documentation comments of the members of the table.</summary>
/// <remarks>
/// A row without a sentence takes the sentence of the first row that has the same name and a sentence. If no such row exists, the comment
/// names the member that the row calls, and has that member's sentence. <c>{}</c> in a sentence becomes <c>this tensor</c>, or the first
/// parameter of a function. A key of the table <c>Parameters.tsv</c> is a kind of result (<c>tuple</c>), the name of a parameter
/// (<c>exponent</c>) or <c>return</c>. A prefix limits the key to one member (<c>pow.exponent</c>), to one class (<c>optim.eps</c>), to
/// numbers that are passed as a list (<c>size.dim0</c>), or to functions without tensors (<c>new.dtype</c>). <c>Conv.stride</c> is for
/// <c>Conv1d</c>, <c>Conv2d</c> and <c>Conv3d</c>.
/// </remarks>
internal sealed class MemberDocs
{
    private const string Pages = "https://docs.pytorch.org/docs/stable/";
    private readonly Dictionary<(MemberSection, string), string> _sentences = [];
    private readonly Dictionary<string, string> _parameters;
    private readonly List<string> _errors;

    internal MemberDocs(IEnumerable<MemberRow> rows, Dictionary<string, string> parameters, List<string> errors)
    {
        (_errors, _parameters) = (errors, parameters);
        foreach (var row in rows.Where(row => row.Sentence.Length > 0))
        {
            if (!row.Sentence.EndsWith(".", StringComparison.Ordinal) || (row.Places.Any(IsOfTensor) && !row.Sentence.Contains("{}")))
                errors.Add($"{row}: a sentence must end with '.' and have '{{}}' for the tensor");
            else if (!_sentences.ContainsKey((row.Section, row.Name))) _sentences.Add((row.Section, row.Name), row.Sentence);
        }
    }

    /// <summary>Returns the comment of a member.</summary>
    internal string Comment(MemberRow row, string place, ListedMethod method)
    {
        var (isMember, isInPlace) = (place[0] == 'T', place.EndsWith("_", StringComparison.Ordinal));
        var first = isMember ? "this tensor" : method.Parameters.Count == 0 ? "" : $"<paramref name=\"{method.Parameters[0].Name}\"/>";
        var sentence = row.Sentence.Length > 0 ? row.Sentence
            : _sentences.TryGetValue((row.Section, row.Name), out var own) ? own
            : row.Calls is { } other && _sentences.TryGetValue((row.Section, other), out var its)
                ? $"<c>{row.Name}</c> is another name of <c>{other}</c>: {its}"
            : Missing(row, "no sentence");
        if (isInPlace) sentence = sentence.TrimEnd('.') + ", in place.";
        var text = new StringBuilder($"    /// <summary>{sentence.Replace("{}", first)}</summary>\n");
        if (row.Counterpart != "-")
        {
            var name = row.Counterpart.Length > 0 ? row.Counterpart : row.Name + place.Substring(1);
            var prefix = row.Section.PagePrefix.Length > 0 ? row.Section.PagePrefix
                : isMember || isInPlace ? "generated/torch.Tensor." : "generated/torch.";
            var page = (name.Contains(".") ? "generated/" : prefix) + name;
            var address = page.Contains("#") ? page : page + ".html";
            name = page.Substring(page.LastIndexOfAny(['/', '#']) + 1);
            text.Append($"    /// <remarks>PyTorch: <see href=\"{Pages}{address}\">{name}</see>.</remarks>\n");
        }

        var isNew = !isMember && method.Parameters.All(parameter => !parameter.Type.Short.Contains("Tensor"));
        foreach (var parameter in method.Parameters)
        {
            var isSelf = !isMember && !row.Constructs && parameter == method.Parameters[0] && parameter.Type.Short == "Tensor";
            var words = Text(row, isSelf ? "self" : row.Find(parameter.Name)?.IsLeftOut == true ? "-" : parameter.Name, isNew)
                ?? Missing(row, $"no text for the parameter '{parameter.Name}'");
            text.Append($"    /// <param name=\"{parameter.Name}\">{words}</param>\n");
        }

        var kind = row.Constructs ? "new" : isInPlace && isMember ? "in place" : isInPlace ? "in place of"
            : method.Returns.Names.Count > 0 ? "tuple" : method.Returns.Short;
        if (kind == "void") return text.ToString();
        var returns = (isInPlace ? null : Text(row, "return")) ?? Text(row, kind) ?? Missing(row, $"no text for the result '{kind}'");
        var elements = string.Join(", ", method.Returns.Names.Select(element => $"<c>{element}</c>"));
        return text.Append($"    /// <returns>{returns.Replace("{}", kind == "tuple" ? elements : first)}</returns>\n").ToString();
    }

    private static bool IsOfTensor(string place) => place[0] is 'T' or 't';

    /// <summary>
    /// Returns the text of the first key that exists: <c>owner.name</c> for each owner and its family in turn, then <c>name</c>. Returns
    /// null if no key exists.
    /// </summary>
    internal static string? Find(Dictionary<string, string> texts, string name, params string[] owners) =>
        owners.SelectMany(owner => new[] { owner, Family(owner) }).Select(owner => owner + "." + name).Append(name)
            .Where(texts.ContainsKey).Select(key => texts[key]).FirstOrDefault();

    /// <summary>Returns the name without its number of dimensions: <c>Conv</c> for <c>Conv2d</c>.</summary>
    private static string Family(string name) =>
        name.EndsWith("d", StringComparison.Ordinal) ? name.TrimEnd('d').TrimEnd('1', '2', '3') : name;

    /// <summary>Returns the text with a small first letter, unless it begins with an abbreviation.</summary>
    internal static string Inner(string text) =>
        text.StartsWith("A ", StringComparison.Ordinal) || (text.Length > 1 && char.IsLower(text[1]))
            ? char.ToLowerInvariant(text[0]) + text.Substring(1) : text;

    private string? Text(MemberRow row, string name, bool isNew = false) =>
        Find(_parameters, name, row.Name, row.ListOf(name) ?? row.Name, row.Section.Name, isNew ? "new" : row.Section.Name);

    private string Missing(MemberRow row, string what)
    {
        if (!_errors.Contains($"{row}: {what}")) _errors.Add($"{row}: {what}");
        return "";
    }
}
