using System.Collections;
using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>A marker of objects that a copied module shares with the original.</summary>
internal interface IShared;

/// <summary>
/// A deep copy of a module tree, field by field, as Python's <c>copy.deepcopy</c> makes it (I-1). No constructor of the model runs.
/// </summary>
/// <remarks>
/// <para>Copied: objects of the model's classes, and .NET's collections, tuples, <c>Lazy</c> objects, string builders, random generators,
/// weak references and plain objects (<c>new object()</c>). Two references to one object become two references to one copy. Delegates are
/// bound to the copies of their targets.</para>
/// <para>Shared: other .NET objects, such as threads, tasks, streams and comparers; pythonnet's objects; objects with a finalizer; objects
/// in a read-only static field of their own class; and modules in a static field of a module class of the tree, with their descendants. A
/// module with a finalizer cannot be copied.</para>
/// <para>The registered tensors of the tree belong to Python, which gives the copy its own. Other tensors are cloned, without their
/// autograd graph.</para>
/// <para>The fields of copied objects are filled from a worklist, not by recursion, so that a long chain does not overflow the
/// stack.</para>
/// </remarks>
internal sealed class ModuleCopy
{
    private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private const BindingFlags Static = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    // Collections copied item by item: a copied key may have another hash, and a bag's items are in thread-local storage.
    private static readonly Type[] Refilled =
        [typeof(Dictionary<,>), typeof(HashSet<>), typeof(ConcurrentDictionary<,>), typeof(Hashtable), typeof(ConcurrentBag<>)];

    // .NET types outside System.Collections whose objects are copied, besides tuples and weak references.
    private static readonly Type[] Copied = [typeof(object), typeof(Lazy<>), typeof(Random), typeof(System.Text.StringBuilder)];
    private static readonly MethodInfo Clone = typeof(object).GetMethod("MemberwiseClone", BindingFlags.Instance | BindingFlags.NonPublic)!;
    private static readonly TypeCache<bool> SharedTypes = new(IsShared);
    private static readonly TypeCache<FieldInfo[]> KnownFields = new(FindFields);

    private readonly Dictionary<object, object> _copies = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<torch.Tensor> _registered;
    private readonly Stack<object> _unfilled = new();

    // Run when all objects are filled.
    private readonly List<Action> _deferred = [];

    private ModuleCopy(IReadOnlyCollection<torch.nn.Module> tree)
    {
        _registered = new(tree.SelectMany(module => module.LinkedTensors).Select(item => item.Tensor), ReferenceEqualityComparer.Instance);
        foreach (var module in StaticFields.Modules(tree)) _copies[module] = module;
    }

    /// <summary>Returns a shallow copy of a module: its fields refer to the same children, tensors and other objects (I-2).</summary>
    /// <exception cref="NotSupportedException">The module has a finalizer.</exception>
    internal static torch.nn.Module Shallow(torch.nn.Module module)
    {
        CheckMayCopy(module);
        var copy = (torch.nn.Module)Clone.Invoke(module, null)!;
        copy.CopyItems();
        if (copy.MakeIndependent()) copy.ForgetHooks();
        return copy;
    }

    /// <summary>
    /// Returns a copy of a module and its descendants. The copy's registered tensors are invalid until Python mirrors (represents) it.
    /// </summary>
    /// <param name="root">The module.</param>
    /// <param name="originals">The original of each module in the copy; a shared module is its own original.</param>
    /// <exception cref="NotSupportedException">A module has a finalizer.</exception>
    internal static torch.nn.Module Deep(torch.nn.Module root, out IReadOnlyDictionary<torch.nn.Module, torch.nn.Module> originals)
    {
        // Cloned tensors must outlive the dispose scope of the call in progress.
        var scope = DisposeScope.Suspend();
        try
        {
            using var off = torch.no_grad();
            var copying = new ModuleCopy(root.Tree.ToArray());
            var copy = copying.CopyReference(root)!;
            while (copying._unfilled.TryPop(out var unfilled)) copying.Fill(unfilled);
            foreach (var fill in copying._deferred) fill();
            originals = copying._copies.Where(item => item.Key is torch.nn.Module)
                .ToDictionary(item => (torch.nn.Module)item.Value, item => (torch.nn.Module)item.Key);
            return (torch.nn.Module)copy;
        }
        finally
        {
            DisposeScope.Resume(scope);
        }
    }

    private object? CopyReference(object? value)
    {
        if (value is null or string or Type) return value;
        if (_copies.TryGetValue(value, out var known)) return known;
        return value switch
        {
            ValueType => CopyStruct(value),
            torch.Tensor tensor => Remember(tensor, CopyTensor(tensor)),
            Delegate function => Remember(function, CopyDelegate(function)),
            _ when IsShared(value) => value,
            _ when value.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(WeakReference<>) =>
                CopyWeakReference(value, type),
            _ when RefilledBase(value.GetType()) is { } refilled => CopyCollection(value, refilled),
            _ => CopyObject(value),
        };
    }

    private object Remember(object value, object copy)
    {
        // In a cycle of delegates, an inner call has already added a copy.
        _copies.TryAdd(value, copy);
        return _copies[value];
    }

    private object CopyObject(object value)
    {
        if (value is torch.nn.Module original) CheckMayCopy(original);
        var copy = Clone.Invoke(value, null)!;
        _copies[value] = copy;
        if (copy is torch.nn.Module module && module.MakeIndependent()) _deferred.Add(module.ForgetHooks);
        _unfilled.Push(copy);
        return copy;
    }

    private void Fill(object copy)
    {
        if (copy is Array array)
        {
            if (CanRefer(array.GetType().GetElementType()!)) FillArray(array);
            return;
        }

        foreach (var field in Fields(copy.GetType())) CopyField(copy, field);
    }

    private void CopyField(object copy, FieldInfo field)
    {
        var value = field.GetValue(copy);
        var mine = CopyReference(value);
        if (!ReferenceEquals(value, mine)) field.SetValue(copy, mine);
    }

    private void FillArray(Array array)
    {
        var at = new int[array.Rank];
        for (var n = 0L; n < array.LongLength; n++)
        {
            var rest = n;
            for (var dimension = array.Rank - 1; dimension >= 0; dimension--)
            {
                at[dimension] = array.GetLowerBound(dimension) + (int)(rest % array.GetLength(dimension));
                rest /= array.GetLength(dimension);
            }

            array.SetValue(CopyReference(array.GetValue(at)), at);
        }
    }

    private object CopyStruct(object value)
    {
        var fields = Fields(value.GetType());
        if (fields.Length == 0) return value;
        var copy = RuntimeHelpers.GetObjectValue(value)!;
        foreach (var field in fields) CopyField(copy, field);
        return copy;
    }

    private torch.Tensor CopyTensor(torch.Tensor tensor)
    {
        if (_registered.Contains(tensor) || tensor.IsInvalid) return torch.Tensor.Blank(tensor.GetType());
        using var plain = tensor.detach();
        using var cloned = plain.clone();
        if (tensor.requires_grad && tensor.is_leaf) cloned.requires_grad = true;
        return torch.Tensor.Blank(tensor.GetType(), cloned.NewHandle());
    }

    private Delegate CopyDelegate(Delegate function)
    {
        var parts = function.GetInvocationList();
        var copies = Array.ConvertAll(parts, part =>
            CopyReference(part.Target) is { } target && target != part.Target
            ? Delegate.CreateDelegate(part.GetType(), target, part.Method) : part);
        return copies.SequenceEqual(parts) ? function : Delegate.Combine(copies)!;
    }

    // The target is set last, when all copies are known: a weak reference alone does not cause a copy of its target.
    private object CopyWeakReference(object value, Type type)
    {
        var copy = _copies[value] = Activator.CreateInstance(type, [null])!;
        var arguments = new object?[1];
        _deferred.Add(() =>
        {
            if (!(bool)type.GetMethod("TryGetTarget")!.Invoke(value, arguments)!) return;
            // A hook that was not copied is held by Python only, and does not belong to the copy.
            if (_copies.GetValueOrDefault(arguments[0]!, arguments[0]!) is { } target
                && (target is not RegisteredHook || target != arguments[0]))
                type.GetMethod("SetTarget")!.Invoke(copy, [target]);
        });
        return copy;
    }

    private object CopyCollection(object value, Type refilled)
    {
        var copy = _copies[value] = RuntimeHelpers.GetUninitializedObject(value.GetType());
        for (var level = value.GetType(); level != refilled; level = level.BaseType!)
            foreach (var field in level.GetFields(Instance)) field.SetValue(copy, CopyReference(field.GetValue(value)));
        var comparer = (refilled.GetProperty("Comparer") ?? refilled.GetProperty("EqualityComparer", Instance))?.GetValue(value);
        refilled.GetConstructor(comparer is null ? [] : [ComparerType(refilled)])!
            .Invoke(copy, comparer is null ? [] : [CopyReference(comparer)]);
        // The items are copied now, and added when all objects are filled: adding needs their hashes.
        if (value is IDictionary map)
        {
            var entries = new List<(object Key, object? Value)>();
            foreach (DictionaryEntry entry in map) entries.Add((CopyReference(entry.Key)!, CopyReference(entry.Value)));
            _deferred.Add(() => entries.ForEach(entry => ((IDictionary)copy).Add(entry.Key, entry.Value)));
        }
        else
        {
            var add = refilled.GetMethod("Add")!;
            var items = ((IEnumerable)value).Cast<object?>().Select(CopyReference).ToArray();
            _deferred.Add(() => Array.ForEach(items, item => add.Invoke(copy, [item])));
        }

        return copy;
    }

    private static Type ComparerType(Type collection) =>
        collection.IsGenericType ? typeof(IEqualityComparer<>).MakeGenericType(collection.GetGenericArguments()[0])
            : typeof(IEqualityComparer);

    private bool IsShared(object value)
    {
        var type = value.GetType();
        if (SharedTypes[type]) return true;
        if (value is torch.nn.Module || ObjectGraph.IsForeign(type.Assembly)) return false;
        // A class with instances in its own read-only static fields probably compares them by reference.
        return type.GetFields(Static).Any(field =>
            field.FieldType == type && field.IsInitOnly && ReferenceEquals(StaticFields.Read(null, field), value));
    }

    private static bool IsShared(Type type)
    {
        if (type.IsAssignableTo(typeof(IShared))) return true;
        if (type.IsArray || type.IsAssignableTo(typeof(torch.nn.Module))) return false;
        if (ObjectGraph.IsFramework(type))
        {
            var open = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
            var outer = type;
            while (outer.DeclaringType is { } around) outer = around;
            return open != typeof(WeakReference<>) && !Copied.Contains(open) && !Copied.Contains(outer)
                && !type.IsAssignableTo(typeof(ITuple))
                && outer.Namespace?.StartsWith("System.Collections", StringComparison.Ordinal) != true || IsComparer(type);
        }

        return type.Assembly.GetName().Name == "Python.Runtime" || HasFinalizer(type);
    }

    private static bool IsComparer(Type type) => type.IsAssignableTo(typeof(IComparer)) || type.IsAssignableTo(typeof(IEqualityComparer));

    private static void CheckMayCopy(torch.nn.Module module)
    {
        if (HasFinalizer(module.GetType()))
            throw new NotSupportedException(
                $"{module.GetType().FullName} has a finalizer, which would run for a copy too, so it cannot be copied: remove the "
                + "finalizer, or construct another module.");
    }

    private static bool HasFinalizer(Type type) =>
        type.GetMethod("Finalize", BindingFlags.Instance | BindingFlags.NonPublic, Type.EmptyTypes)?.DeclaringType != typeof(object);

    private static Type? RefilledBase(Type type)
    {
        for (var level = type; level is not null; level = level.BaseType)
            if (Refilled.Contains(level.IsGenericType ? level.GetGenericTypeDefinition() : level)) return level;
        return null;
    }

    /// <summary>Returns a type's fields, except those that can hold no reference to copy, such as numbers.</summary>
    private static FieldInfo[] Fields(Type type) => KnownFields[type];

    private static FieldInfo[] FindFields(Type start)
    {
        var fields = new List<FieldInfo>();
        for (var level = start; level is not null && level != RefilledBase(level); level = level.BaseType)
            fields.AddRange(level.GetFields(Instance).Where(field => CanRefer(field.FieldType)));
        return fields.ToArray();
    }

    private static bool CanRefer(Type type) =>
        !type.IsPrimitive && !type.IsEnum && !type.IsPointer && !type.IsFunctionPointer && !type.IsByRefLike && type != typeof(string)
            && type != typeof(decimal)
        && (!type.IsValueType || Fields(type).Length > 0);
}
