using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// TorchScript: models that <c>torch.jit.save</c> wrote in Python, and functions in TorchScript's language. All of it needs Python in
    /// the process: Python's <c>torch.jit</c> runs it.
    /// </summary>
    public static partial class jit
    {
        /// <summary>Compiles functions in TorchScript's language, a subset of Python.</summary>
        /// <exception cref="ArgumentNullException"><paramref name="script"/> is null or empty.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static CompilationUnit compile(string script)
        {
            if (string.IsNullOrEmpty(script)) throw new ArgumentNullException(nameof(script), "The script is empty.");
            return new((long)PythonScripts.Require("torch.jit.compile").Run("compile", script)!);
        }

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote. Its arguments and its result are objects.</summary>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: what was given is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule load(string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <inheritdoc cref="load(string, DeviceType, long)"/>
        public static ScriptModule load(byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <inheritdoc cref="load(string, DeviceType, long)"/>
        public static ScriptModule load(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <inheritdoc cref="load(string, DeviceType, long)"/>
        public static ScriptModule load(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <inheritdoc cref="load(string, DeviceType, long)"/>
        public static ScriptModule load(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <inheritdoc cref="load(string, DeviceType, long)"/>
        public static ScriptModule load(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; the arguments are tensors.</summary>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: what was given is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<TResult> load<TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <inheritdoc cref="load{TResult}(string, DeviceType, long)"/>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <inheritdoc cref="load{TResult}(string, DeviceType, long)"/>
        public static ScriptModule<TResult> load<TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <inheritdoc cref="load{TResult}(string, DeviceType, long)"/>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <inheritdoc cref="load{TResult}(string, DeviceType, long)"/>
        public static ScriptModule<TResult> load<TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <inheritdoc cref="load{TResult}(string, DeviceType, long)"/>
        public static ScriptModule<TResult> load<TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there is one argument.</summary>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: what was given is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, TResult> load<T1, TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <inheritdoc cref="load{T1, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, TResult> load<T1, TResult>(
            byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <inheritdoc cref="load{T1, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, TResult> load<T1, TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <inheritdoc cref="load{T1, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, TResult> load<T1, TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <inheritdoc cref="load{T1, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, TResult> load<T1, TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <inheritdoc cref="load{T1, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, TResult> load<T1, TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Loads a module that <c>torch.jit.save</c> wrote; there are two arguments.</summary>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="InvalidOperationException">The machine has no device of the given type.</exception>
        /// <exception cref="Exception">Python's error: what was given is not such a module.</exception>
        /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(
            string filename, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(filename, At(device_type, device_index)));

        /// <inheritdoc cref="load{T1, T2, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(
            byte[] bytes, DeviceType device_type = DeviceType.CPU, long device_index = -1) =>
            new(ScriptDescription.Load(bytes, At(device_type, device_index)));

        /// <inheritdoc cref="load{T1, T2, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(string filename, Device map_location) =>
            new(ScriptDescription.Load(filename, map_location));

        /// <inheritdoc cref="load{T1, T2, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(byte[] bytes, Device map_location) =>
            new(ScriptDescription.Load(bytes, map_location));

        /// <inheritdoc cref="load{T1, T2, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(string filename, string map_location) =>
            new(ScriptDescription.Load(filename, At(map_location)));

        /// <inheritdoc cref="load{T1, T2, TResult}(string, DeviceType, long)"/>
        public static ScriptModule<T1, T2, TResult> load<T1, T2, TResult>(byte[] bytes, string map_location) =>
            new(ScriptDescription.Load(bytes, At(map_location)));

        /// <summary>Writes a module as <c>torch.jit.save</c> does, with the present values of its tensors.</summary>
        public static void save(ScriptModule module, string filename)
        {
            ArgumentNullException.ThrowIfNull(module);
            ArgumentNullException.ThrowIfNull(filename);
            module.Save(filename);
        }

        /// <exception cref="NotSupportedException">Always: TorchSharp does not change the array, so nothing would be saved.</exception>
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
