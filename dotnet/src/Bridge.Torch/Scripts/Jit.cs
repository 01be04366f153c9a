using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// TorchScript: models that <c>torch.jit.save</c> wrote in Python, and functions in TorchScript's language. All of it needs Python in
    /// the process: Python's <c>torch.jit</c> runs it.
    /// </summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/jit.html">torch.jit</see>.</remarks>
    public static partial class jit
    {
        /// <summary>Compiles functions in TorchScript's language, a subset of Python.</summary>
        /// <param name="script">The source text, one or more <c>def</c> statements.</param>
        /// <returns>The compiled functions.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="script"/> is null or empty.</exception>
        /// <exception cref="Exception">Python's error: the script cannot be compiled.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static CompilationUnit compile(string script)
        {
            if (string.IsNullOrEmpty(script)) throw new ArgumentNullException(nameof(script), "The script is empty.");
            return new((long)PythonScripts.Require("torch.jit.compile").Run("compile", script)!);
        }

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html">torch.jit.load</see>.</remarks>
        /// <param name="filename">The file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html">torch.jit.load</see>.</remarks>
        /// <param name="filename">The file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html">torch.jit.load</see>.</remarks>
        /// <param name="filename">The file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(
            byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html">torch.jit.load</see>.</remarks>
        /// <param name="filename">The file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="device_type">The type of the device of the module's tensors.</param>
        /// <param name="device_index">The index of the device; -1 for the current one.</param>
        /// <returns>The module.</returns>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(
            byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The device of the module's tensors.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <param name="filename">The file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="Exception">Python's error: the file is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <param name="bytes">The content of a file.</param>
        /// <param name="map_location">The name of the device of the module's tensors, such as <c>"cuda:0"</c>.</param>
        /// <returns>The module.</returns>
        /// <exception cref="Exception">Python's error: the bytes are not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Writes a module as <c>torch.jit.save</c> does, with the present values of its tensors.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.jit.save.html">torch.jit.save</see>.</remarks>
        /// <param name="module">The module.</param>
        /// <param name="filename">The file.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        public static void save(ScriptModule module, string filename)
        {
            ArgumentNullException.ThrowIfNull(module);
            ArgumentNullException.ThrowIfNull(filename);
            module.Save(filename);
        }

        /// <summary>Always throws: does not write the module to an array of bytes.</summary>
        /// <param name="module">The module.</param>
        /// <param name="bytes">The array, which does not change.</param>
        /// <exception cref="NotSupportedException">Always. TorchSharp's own method leaves the array unchanged.</exception>
        [Stub(Bytes)]
        public static void save(ScriptModule module, byte[] bytes) => throw Stub.Error(Bytes);

        private const string Bytes = "TorchSharp leaves the array as it is; give the name of a file";

        private static Device At(DeviceType type, long index)
        {
            InitializeDeviceType(type);
            return new(type, checked((int)index));
        }

        private static Device At(string location)
        {
            ArgumentNullException.ThrowIfNull(location);
            return new(location);
        }
    }
}
