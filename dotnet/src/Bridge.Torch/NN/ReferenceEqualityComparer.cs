using System.Runtime.CompilerServices;

namespace TorchSharp.Utils;

/// <summary>A comparer by reference, regardless of overridden <c>Equals</c> methods.</summary>
public class ReferenceEqualityComparer<T> : EqualityComparer<T> where T : class
{
    /// <summary>Gets the shared comparer.</summary>
    public static new IEqualityComparer<T> Default { get; } = new ReferenceEqualityComparer<T>();

    /// <inheritdoc/>
    public override bool Equals(T? x, T? y) => ReferenceEquals(x, y);

    /// <inheritdoc/>
    public override int GetHashCode(T obj) => RuntimeHelpers.GetHashCode(obj);
}
