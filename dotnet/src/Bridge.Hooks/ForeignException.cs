namespace Bridge.Hooks;

/// <summary>Marks an exception of another language that passes through .NET.</summary>
public interface IForeignException
{
    /// <summary>Gets the name of the exception's class in that language, such as <c>ValueError</c>.</summary>
    string TypeName { get; }
}
