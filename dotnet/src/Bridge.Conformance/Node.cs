using System.Text.Json;

namespace Bridge.Conformance;

/// <summary>A node of a program's tree, with its module. A module that stands in two places is one node.</summary>
internal sealed class Node
{
    private readonly List<(string Name, Node Node)> _children = [];

    private Node(JsonElement spec, Session session)
    {
        Spec = spec;
        Kind = spec.NeedText("kind");
        Module = session.World.Build(this, session);
    }

    /// <summary>The node as the program has it.</summary>
    internal JsonElement Spec { get; }

    internal string Kind { get; }

    internal object Module { get; }

    /// <summary>The children in order; complete once the tree is built.</summary>
    internal IReadOnlyList<(string Name, Node Node)> Children => _children;

    /// <summary>Builds the tree, parents first. <paramref name="paths"/> gets each module's path: the first in the order of the tree.</summary>
    internal static Node Build(JsonElement spec, Session session, Dictionary<object, string> paths)
    {
        var made = new Dictionary<string, Node>();
        return Make(spec, "");

        Node Make(JsonElement spec, string path)
        {
            if (spec.Text("same") is { } same) return made.GetValueOrDefault(same) ?? throw new Defect($"no module at '{same}' before '{path}'");
            var node = made[path] = new Node(spec, session);
            paths[node.Module] = path;
            foreach (var child in spec.Items("children"))
            {
                var name = child.NeedText("name");
                node._children.Add((name, Make(child, path.Length == 0 ? name : $"{path}.{name}")));
            }

            return node;
        }
    }

    /// <summary>The node at a module path below this one.</summary>
    /// <exception cref="MissingMemberException">There is none.</exception>
    internal Node At(string path)
    {
        var node = this;
        if (path.Length == 0) return node;
        foreach (var name in path.Split('.'))
            node = node._children.Find(child => child.Name == name).Node ?? throw new MissingMemberException($"no module '{path}'");
        return node;
    }
}
