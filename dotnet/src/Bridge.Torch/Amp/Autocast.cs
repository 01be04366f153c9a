namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// Makes this thread's operators on a device type run in a lower precision where that is safe, until the result is disposed. Python on
    /// the same thread shares the mode. Dispose the result on this thread; if there are several results, in reverse order.
    /// </summary>
    /// <remarks>
    /// TorchSharp has no such function; the name is PyTorch's. It needs Python in the process. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/amp.html#torch.autocast">torch.autocast</see>.
    /// </remarks>
    /// <param name="device_type">The device type, such as "cpu" or "cuda".</param>
    /// <param name="dtype">The type to compute in; null for bfloat16 on the CPU and float16 on CUDA, unless Python has set another.</param>
    /// <param name="enabled">Whether to turn the mode on. If false, it is off within an outer call that turned it on.</param>
    /// <param name="cache_enabled">Whether converted parameters are kept until the outermost call ends; null for as before.</param>
    /// <returns>An object whose disposal restores the mode from before.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="device_type"/> is null.</exception>
    public static IDisposable autocast(string device_type, ScalarType? dtype = null, bool enabled = true, bool? cache_enabled = null)
    {
        ArgumentNullException.ThrowIfNull(device_type);
        return new Autocast(device_type, dtype, enabled, cache_enabled);
    }

    /// <summary>Returns whether autocast is on for a device type on this thread.</summary>
    /// <remarks>
    /// TorchSharp has no such function; the name is PyTorch's. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/amp.html">torch.is_autocast_enabled</see>.
    /// </remarks>
    /// <param name="device_type">The device type, such as "cpu" or "cuda".</param>
    public static bool is_autocast_enabled(string device_type) => IsAutocast(device_type);

    /// <summary>Returns the type in which autocast computes on a device type on this thread.</summary>
    /// <remarks>
    /// TorchSharp has no such function; the name is PyTorch's. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/amp.html">torch.get_autocast_dtype</see>.
    /// </remarks>
    /// <param name="device_type">The device type, such as "cpu" or "cuda".</param>
    public static ScalarType get_autocast_dtype(string device_type)
    {
        using var example = AutocastDtype(device_type);
        return example.dtype;
    }

    private sealed class Autocast : IDisposable
    {
        private bool _left;

        internal Autocast(string device_type, ScalarType? dtype, bool enabled, bool? cache_enabled) =>
            EnterAutocast(device_type, dtype, enabled, cache_enabled);

        public void Dispose()
        {
            if (_left) return;
            _left = true;
            LeaveAutocast();
        }
    }

    /// <summary>Automatic mixed precision. TorchSharp has no such class; names and results are PyTorch's.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/amp.html">torch.amp</see>.</remarks>
    public static partial class amp
    {
        /// <summary>Does what <see cref="torch.autocast"/> does.</summary>
        /// <param name="device_type">The device type, such as "cpu" or "cuda".</param>
        /// <param name="dtype">The type to compute in; null for the device type's default.</param>
        /// <param name="enabled">Whether to turn the mode on.</param>
        /// <param name="cache_enabled">Whether converted parameters are kept until the outermost call ends; null for as before.</param>
        /// <returns>An object whose disposal restores the mode from before.</returns>
        public static IDisposable autocast(string device_type, ScalarType? dtype = null, bool enabled = true, bool? cache_enabled = null) =>
            torch.autocast(device_type, dtype, enabled, cache_enabled);
    }
}
