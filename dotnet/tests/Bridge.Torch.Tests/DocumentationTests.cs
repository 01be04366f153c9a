using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Bridge.Torch.Tests;

/// <summary>The documentation that IntelliSense shows, Bridge.Torch.xml. The compiler refuses a public member without a comment.</summary>
public class DocumentationTests
{
    private static readonly Dictionary<string, XElement> Comments = XDocument
        .Load(Path.ChangeExtension(typeof(TorchSharp.torch).Assembly.Location, "xml")).Descendants("member")
        .GroupBy(member => member.Attribute("name")!.Value).ToDictionary(group => group.Key, group => group.First());

    private static IEnumerable<Type> Types => typeof(TorchSharp.torch).Assembly.GetTypes()
        .Where(type => IsVisible(type) && !type.IsSubclassOf(typeof(Delegate)));

    /// <summary>Gets the methods and constructors that IntelliSense shows and that inherit no comment.</summary>
    private static IEnumerable<(MethodBase Method, string Id, XElement Comment)> Methods =>
        from type in Types
        from method in type.GetMembers(Declared).OfType<MethodBase>()
        where (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) && !method.IsDefined(typeof(CompilerGeneratedAttribute))
            && method.GetCustomAttribute<System.ComponentModel.EditorBrowsableAttribute>() is null
            && (!method.IsSpecialName || method is ConstructorInfo || method.Name.StartsWith("op_", StringComparison.Ordinal))
        let id = DocumentationId.Of(method)
        where Comments.ContainsKey(id) && Comments[id].Element("inheritdoc") is null
        select (method, id, Comments[id]);

    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    [Fact]
    public void EveryParameterHasAComment()
    {
        var found = Methods.ToList();
        Assert.True(found.Count > 3000, $"only {found.Count} methods have comments: the IDs are wrong");
        var missing = found.Where(method => method.Method.GetParameters().Select(parameter => parameter.Name)
            .Except(method.Comment.Elements("param").Where(element => !element.IsEmpty).Select(element => element.Attribute("name")!.Value))
            .Any());
        Assert.Equal("", string.Join("\n", missing.Select(method => method.Id)));
    }

    [Fact]
    public void EveryCommentHasOneSummaryOfItsOwn()
    {
        var members = from type in Types
                      from member in type.GetMembers(Declared)
                      where member is PropertyInfo or FieldInfo
                      select (member is FieldInfo ? "F:" : "P:") + DocumentationId.Of(type) + "." + member.Name;
        var visible = Methods.Select(method => method.Id).Concat(members).Concat(Types.Select(type => "T:" + DocumentationId.Of(type)))
            .Where(id => Comments.ContainsKey(id) && Comments[id].Element("inheritdoc") is null).ToList();
        Assert.DoesNotContain(visible, id => Comments[id].Elements("summary").Count() != 1);
        var shared = visible.GroupBy(Summary, id => Regex.Replace(id.Split('(')[0][2..], "`+[0-9]+|\\.#ctor$", ""))
            .Where(group => group.Distinct().Count() > 1);
        Assert.Equal("", string.Join("\n", shared.Select(group => $"{group.Key}: {string.Join(", ", group.Distinct())}")));

        static string Summary(string id) =>
            Regex.Replace(string.Concat(Comments[id].Elements("summary").Select(part => part.ToString())), "\\s+", " ");
    }

    [Fact]
    public void ALinkToPyTorchNamesAPage() => Assert.All(
        Comments.Values.SelectMany(comment => comment.Descendants("see")).Select(link => (string?)link.Attribute("href")).OfType<string>(),
        page => Assert.Matches("^https://docs\\.pytorch\\.org/docs/stable/[\\w./-]+\\.html(#[\\w.-]+)?$", page));

    private static bool IsVisible(Type type) =>
        (type.IsPublic || type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamORAssem)
        && (type.DeclaringType is null || IsVisible(type.DeclaringType));
}

/// <summary>The names of members in a file of documentation comments.</summary>
internal static class DocumentationId
{
    internal static string Of(MethodBase method)
    {
        var arity = method.IsGenericMethod ? "``" + method.GetGenericArguments().Length : "";
        var parameters = string.Join(",", method.GetParameters().Select(parameter => Of(parameter.ParameterType)));
        var result = method is MethodInfo { Name: "op_Implicit" or "op_Explicit" } conversion ? "~" + Of(conversion.ReturnType) : "";
        var name = method.Name.Replace('.', '#');
        return $"M:{Of(method.DeclaringType!)}.{name}{arity}{(parameters.Length > 0 ? $"({parameters})" : "")}{result}";
    }

    internal static string Of(Type type)
    {
        if (type.IsGenericParameter) return (type.DeclaringMethod is null ? "`" : "``") + type.GenericParameterPosition;
        if (type.IsByRef) return Of(type.GetElementType()!) + "@";
        if (type.IsPointer) return Of(type.GetElementType()!) + "*";
        if (type.IsArray)
        {
            var rank = type.GetArrayRank();
            return Of(type.GetElementType()!) + (rank == 1 ? "[]" : "[" + string.Join(",", Enumerable.Repeat("0:", rank)) + "]");
        }

        if (!type.IsGenericType || type.IsGenericTypeDefinition) return type.FullName!.Replace('+', '.');
        var arguments = new Queue<Type>(type.GetGenericArguments());
        return Regex.Replace(type.GetGenericTypeDefinition().FullName!.Replace('+', '.'), "`([0-9]+)", found =>
            "{" + string.Join(",", Enumerable.Range(0, int.Parse(found.Groups[1].Value)).Select(_ => Of(arguments.Dequeue()))) + "}");
    }
}
