using System.Reflection;
using System.Reflection.Emit;

namespace Bridge.Torch.Tests;

/// <summary>Tests HookCode.cs: a hook whose code does not load the values cannot keep them; any other hook may.</summary>
public sealed class HookCodeTests
{
    private static object? _kept;
    private int _count;

    private delegate object? Many(object module, int a, int b, int c, int d, object? value);

    public static TheoryData<string, Delegate, bool> Hooks()
    {
        var (captured, test) = (new List<string>(), new HookCodeTests());
        Func<object, object?[], object?, object?> counts = test.Count, keeps = test.Keep;
        return new()
        {
            { "a method that counts", counts, false },
            { "a method that keeps", keeps, true },
            { "a static method", (Func<object, object?[], object?, object?>)Named, false },
            { "a static method that gives what it was given", (Func<object, object?[], object?, object?>)Same, true },
            { "a lambda", (Func<object, object?[], object?, object?>)((module, args, output) => null), false },
            { "a lambda that has the module", (Func<object, object?[], object?, object?>)((module, args, output) => module), false },
            { "a lambda that has the arguments", (Func<object, object?[], object?, object?>)((module, args, output) => args.Length), true },
            { "a closure", (Func<object, object?[], object?, object?>)((module, args, output) => { captured.Add("called"); return null; }),
                false },
            { "a closure that keeps", (Func<object, object?[], object?, object?>)(
                (module, args, output) => { captured.Add($"{output}"); return null; }), true },
            { "an inner closure that keeps", (Func<object, object?[], object?, object?>)(
                (module, args, output) => { void Inner() => _kept = output; Inner(); return null; }), true },
            { "a hook that waits", (Func<object, object?[], object?, object?>)((module, args, output) => Later(output)), true },
            { "a hook that writes its argument", (Func<object, object?[], object?, object?>)(
                (module, args, output) => { output = null; return null; }), true },
            { "a hook of the module alone", (Action<object>)(module => _kept = module), false },
            { "many arguments", (Many)((module, a, b, c, d, value) => null), false },
            { "the last of many arguments", (Many)((module, a, b, c, d, value) => value), true },
            { "its place", (Many)((module, a, b, c, d, value) => Place(ref value)), true },
            { "a branch for each number, and long constants",
                (Func<object, object?[], object?, object?>)((module, args, output) => Words(module.GetHashCode())), false },
            { "such branches themselves", (Func<object, object?, object?>)Branches, false },
            { "such branches, then the value", (Func<object, object?, object?>)BranchesThenValue, true },
            { "two in one", counts + counts, true },
            { "with its first argument bound", Delegate.CreateDelegate(typeof(Func<object, object?, object?>), "bound",
                Method(nameof(Bound))), false },
            { "with its first argument bound, keeping",
                Delegate.CreateDelegate(typeof(Func<object, object?, object?>), "bound", Method(nameof(BoundSame))), true },
            { "a method of the module", Delegate.CreateDelegate(typeof(Func<HookCodeTests, object?, object?>), null, Method(nameof(Own))),
                false },
            { "a method of the module that keeps",
                Delegate.CreateDelegate(typeof(Func<HookCodeTests, object?, object?>), null, Method(nameof(OwnSame))), true },
            { "made at run time", Made(), true },
        };
    }

    [Theory]
    [MemberData(nameof(Hooks), DisableDiscoveryEnumeration = true)]
    public void What_loads_its_values_may_keep_them(string what, Delegate hook, bool reads) =>
        Assert.True(HookCode.ReadsValues(hook) == reads, what);

    private object? Count(object module, object?[] args, object? output)
    {
        _count++;
        return null;
    }

    private object? Keep(object module, object?[] args, object? output)
    {
        _count++;
        _kept = output;
        return null;
    }

    private object? Own(object? value) => _count;

    private object? OwnSame(object? value) => value;

    private static object? Named(object module, object?[] args, object? output) => module.GetType().Name;

    private static object? Same(object module, object?[] args, object? output) => output;

    private static object? Bound(string first, object module, object? value) => first;

    private static object? BoundSame(string first, object module, object? value) => value;

    private static object? Place(ref object? value) => value;

    private static async Task<object?> Later(object? value)
    {
        await Task.Yield();
        return value;
    }

    // The bytes of its constants equal instructions that load arguments.
    private static string Words(int number) =>
        number switch { 0 => "a", 1 => "b", 2 => "c", 3 => "d", 4 => "e", 5 => "f", _ => $"{0x0304050403030505L}" };

    private static object? Branches(object module, object? value)
    {
        var number = module.GetHashCode();
        switch (number & 7)
        {
            case 0: return 0x03040503;
            case 1: return 0x0304050403030505L;
            case 2: return 1.5e300;
            case 3: return 2.5f;
            case 4: return "word";
            case 5: return typeof(string);
            default: return number;
        }
    }

    private static object? BranchesThenValue(object module, object? value)
    {
        switch (module.GetHashCode() & 3)
        {
            case 0: return 0x03040503;
            case 1: return 1.5e300;
            case 2: return 5L;
            default: return value;
        }
    }

    private static MethodInfo Method(string name) =>
        typeof(HookCodeTests).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static)!;

    private static Delegate Made()
    {
        var method = new DynamicMethod("made", typeof(object), [typeof(object), typeof(object)]);
        var code = method.GetILGenerator();
        code.Emit(OpCodes.Ldnull);
        code.Emit(OpCodes.Ret);
        return method.CreateDelegate<Func<object, object?, object?>>();
    }
}
