using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The .NET end of one mirrored module.</summary>
/// <remarks>
/// <para>Whose parameters. Python owns them. Between calls no handle to them is held, so conversions that swap a tensor's insides (which
/// demand that nobody else refers to it) work; a call from Python acquires handles for the whole tree below its module and its end releases them.
/// Acquiring reads the object's TensorImpl anew, so a swapped tensor is seen.</para>
/// <para>Everything here but <see cref="ModuleLink.Listens"/> runs with the GIL held, which is the lock.</para>
/// </remarks>
internal sealed unsafe class MirrorLink : ModuleLink
{
    /// <summary>Mirrored modules by id.</summary>
    internal static readonly ConcurrentDictionary<long, MirrorLink> All = new();

    private static readonly long* Nothing = (long*)NativeMemory.AllocZeroed(8);

    private const int Shallow = 12;

    [ThreadStatic]
    private static int _nesting;

    // Calls and hooks that Python has under way on this thread, and what they read outside of the modules that they are of.
    [ThreadStatic]
    private static int _entered;

    [ThreadStatic]
    private static List<Slot>? _outside;

    private MirrorLink[]? _tree;
    private int _uses;

    internal MirrorLink(torch.nn.Module module)
    {
        Module = module;
        Own = (long**)NativeMemory.Alloc(4 * 8);
        for (var i = 0; i < 4; i++) Own[i] = Nothing;
    }

    internal torch.nn.Module Module { get; }

    /// <summary>Where the module's parameters and buffers, in the order of the description, find their handles.</summary>
    internal Slot[] Slots { get; set; } = [];

    /// <summary>The tensors of the description that Python was given of the tree below this module, until it is linked.</summary>
    internal List<torch.Tensor>? Described { get; set; }

    /// <summary>Links of this module and of all below it.</summary>
    private MirrorLink[] Tree => _tree ??= Module.modules().Select(module => module.Link).OfType<MirrorLink>().ToArray();

    /// <summary>A mirrored module.</summary>
    /// <exception cref="ObjectDisposedException">Its mirror is gone.</exception>
    internal static MirrorLink Get(long id) =>
        All.TryGetValue(id, out var link) ? link : throw new ObjectDisposedException("module", "The Python mirror of this module was collected.");

    /// <summary>Python tells what the mirror has now.</summary>
    /// <param name="epoch">The epoch before Python looked.</param>
    /// <param name="objects">Addresses of tensor objects, 0 for None; Python keeps them alive until it tells anew.</param>
    /// <param name="dictionaries">Addresses of the entry counts of the module's four hook dictionaries.</param>
    /// <param name="flags">What else it is.</param>
    internal void Bind(long epoch, long* objects, long* dictionaries, LinkFlags flags)
    {
        for (var i = 0; i < Slots.Length; i++) Slots[i].Set((IntPtr)objects[i]);
        for (var i = 0; i < 4; i++) Own[i] = (long*)dictionaries[i];
        HasComputed = flags.HasFlag(LinkFlags.Computed);
        Replaced = flags.HasFlag(LinkFlags.Replaced);
        Volatile.Write(ref Synchronized, epoch);
    }

    /// <summary>A call from Python begins: what is below the module has handles until <see cref="Release"/>.</summary>
    internal void Acquire()
    {
        Refresh();
        foreach (var link in Tree)
            if (link._uses++ == 0)
                foreach (var slot in link.Slots) slot.Acquire();
        _entered++;
    }

    /// <summary>A call from Python ends.</summary>
    internal void Release()
    {
        foreach (var link in Tree)
        {
            if (--link._uses > 0) continue;
            foreach (var slot in link.Slots) slot.Release();
        }

        if (--_entered > 0 || _outside is not { Count: > 0 } outside) return;
        foreach (var slot in outside) slot.Release();
        outside.Clear();
    }

    /// <summary>The mirror is gone: its tensors may be too.</summary>
    internal void Forget()
    {
        All.TryRemove(Module.Id, out _);
        foreach (var slot in Slots) slot.Set(IntPtr.Zero);
        for (var i = 0; i < 4; i++) Own[i] = Nothing;
    }

    private void Refresh()
    {
        if (Volatile.Read(ref Synchronized) != Volatile.Read(ref *Epoch)) Synchronize(compute: false);
    }

    protected override void Synchronize(bool compute) => Callbacks.Synchronize(Module.Id, compute);

    internal override object? Call(object?[] arguments)
    {
        var place = RecordedPlace.Current;
        try
        {
            return Callbacks.Call(Module.Id, arguments);
        }
        finally
        {
            // What only passes through PyTorch's dispatcher (Ctrl-C) leaves its calls open there.
            if (CallRecorder.Active != 0) RecordedPlace.Return(place);
        }
    }

    internal override object? Call(torch.Tensor argument)
    {
        // The fast way does not look how deep Python is nested.
        if (_nesting >= Shallow) return Call([argument]);
        _nesting++;
        var place = RecordedPlace.Current;
        try
        {
            return Callbacks.Call(Module.Id, argument);
        }
        finally
        {
            _nesting--;
            if (CallRecorder.Active != 0) RecordedPlace.Return(place);
        }
    }

    internal override IDisposable Register(Hook hook) => HookTable.Register(this, hook);

    internal override void TrainingChanged(bool training) => Callbacks.Train(Module.Id, training);

    /// <summary>One parameter or buffer. A tied one has one slot in several links.</summary>
    internal sealed class Slot(string name, MirrorLink owner) : TensorSlot
    {
        private readonly List<IntPtr> _retired = [];
        private IntPtr _object;
        private IntPtr _handle;
        private int _uses;

        internal override bool IsNone
        {
            get
            {
                owner.Refresh();
                return _object == IntPtr.Zero;
            }
        }

        internal override IntPtr Handle
        {
            get
            {
                // Its module may not have been called since the attribute was rebound: another one's forward may read it.
                owner.Refresh();
                var handle = _handle;
                if (handle != IntPtr.Zero) return handle;
                if (_object != IntPtr.Zero && _entered > 0) return Outside();
                throw new InvalidOperationException(_object == IntPtr.Zero
                    ? $"'{name}' is None in Python, or its mirror was collected."
                    : $"'{name}' belongs to its Python mirror: C# can read it while a call or hook from Python runs. Outside of one, read it in Python.");
            }
        }

        internal void Acquire()
        {
            if (_uses++ == 0) Open();
        }

        // A hook may call a module that is no part of the one that Python called; the handle lives as long as Python's call.
        private IntPtr Outside()
        {
            using var gil = new Python.Gil();
            Acquire();
            (_outside ??= []).Add(this);
            return _handle;
        }

        internal void Release()
        {
            if (--_uses > 0) return;
            var handle = _handle;
            _handle = IntPtr.Zero;
            if (handle != IntPtr.Zero) Abi.delete_tensor(handle);
            foreach (var old in _retired) Abi.delete_tensor(old);
            _retired.Clear();
        }

        internal void Set(IntPtr tensor)
        {
            if (_object == tensor && (_handle == IntPtr.Zero || IsCurrent())) return;
            _object = tensor;
            if (_uses == 0) return;
            // Another thread may be using the old handle: it is freed when no call is left.
            if (_handle != IntPtr.Zero) _retired.Add(_handle);
            _handle = IntPtr.Zero;
            Open();
        }

        private void Open()
        {
            if (_object == IntPtr.Zero) return;
            var impl = Python.Impl(_object);
            _handle = Abi.NewHandle((IntPtr)(&impl));
        }

        // The word at a handle is the TensorImpl.
        private bool IsCurrent() => *(IntPtr*)_handle == Python.Impl(_object);
    }
}
