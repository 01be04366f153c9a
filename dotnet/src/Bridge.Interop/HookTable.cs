using System.Collections.Concurrent;
using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>C# hooks in a mirror's dictionaries, by the number that their Python entry carries.</summary>
/// <remarks>The entry keeps the hook alive until Python reports that it was dropped.</remarks>
internal static class HookTable
{
    private static readonly ConcurrentDictionary<long, Hook> Known = new();
    private static long _numbers;

    internal static Hook Get(long number) => Known.TryGetValue(number, out var hook) ? hook : throw new ObjectDisposedException("hook", "The C# hook was removed.");

    /// <summary>Number of C# hooks in Python's dictionaries.</summary>
    internal static int Count => Known.Count;

    /// <summary>Enters a hook into the mirror's dictionary.</summary>
    /// <param name="link">The module.</param>
    /// <param name="hook">The hook.</param>
    /// <param name="inOrder">Hooks come in their final order, so none is put in front.</param>
    internal static IDisposable Register(MirrorLink link, Hook hook, bool inOrder = false)
    {
        var number = Interlocked.Increment(ref _numbers);
        Known[number] = hook;
        var flags = (hook.IsForward ? HookFlags.Forward : 0) | (hook.Prepend && !inOrder ? HookFlags.Prepend : 0) | (hook.AlwaysCall ? HookFlags.AlwaysCall : 0);
        try
        {
            Callbacks.ChangeHook(link.Module.Id, number, flags);
        }
        catch
        {
            Known.TryRemove(number, out _);
            throw;
        }

        return new Entry(link.Module.Id, number);
    }

    /// <summary>Python dropped its entry.</summary>
    internal static void Forget(long number) => Known.TryRemove(number, out _);

    private sealed class Entry(long module, long number) : IDisposable
    {
        public void Dispose()
        {
            // A mirror that is gone took its dictionaries with it (H-3).
            if (MirrorLink.All.ContainsKey(module)) Callbacks.ChangeHook(module, number, HookFlags.Remove);
        }
    }
}
