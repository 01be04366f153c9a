namespace Bridge.Hooks;

/// <summary>Marks an exception of another language that passes through .NET.</summary>
public interface IForeignException
{
    /// <summary>The name of its class there, such as <c>ValueError</c>.</summary>
    string TypeName { get; }
}
