using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            /// <summary>Writes <see cref="state_dict"/> to a file in TorchSharp's format.</summary>
            /// <param name="location">The file.</param>
            /// <param name="skip">Paths to leave out.</param>
            /// <returns>This module.</returns>
            public Module save(string location, IList<string>? skip = null)
            {
                using var stream = File.Create(location);
                using var writer = new BinaryWriter(stream);
                return save(writer, skip);
            }

            /// <summary>Writes <see cref="state_dict"/> in TorchSharp's format with a writer.</summary>
            /// <param name="writer">The writer, which stays open.</param>
            /// <param name="skip">Paths to leave out.</param>
            /// <returns>This module.</returns>
            public Module save(BinaryWriter writer, IList<string>? skip = null)
            {
                save_state_dict(writer, state_dict(), skip);
                return this;
            }

            /// <summary>Writes <see cref="state_dict"/> in TorchSharp's format and closes the stream.</summary>
            /// <param name="stream">The stream.</param>
            /// <param name="skip">Paths to leave out.</param>
            /// <returns>This module.</returns>
            public Module save(Stream stream, IList<string>? skip = null)
            {
                using var writer = new BinaryWriter(stream);
                return save(writer, skip);
            }

            /// <summary>Writes tensors and their paths in TorchSharp's format.</summary>
            /// <param name="writer">The writer, which stays open.</param>
            /// <param name="sd">The tensors by path.</param>
            /// <param name="skip">Paths to leave out.</param>
            public static void save_state_dict(BinaryWriter writer, Dictionary<string, Tensor> sd, IList<string>? skip = null)
            {
                var kept = sd.Where(item => skip is null || !skip.Contains(item.Key)).ToList();
                WeightFile.WriteNumber(writer, kept.Count);
                foreach (var (name, tensor) in kept)
                {
                    writer.Write(name);
                    WeightFile.Write(writer, tensor);
                }
            }

            /// <summary>
            /// Overwrites the module's tensors with those in a file in TorchSharp's format. If the file does not fit, nothing is changed.
            /// </summary>
            /// <param name="location">The file.</param>
            /// <param name="strict">Whether the paths in the file must be those of <see cref="state_dict"/>.</param>
            /// <param name="skip">Paths whose tensors stay as they are.</param>
            /// <param name="loadedParameters">Receives each path in the file, and whether the module has the path.</param>
            /// <returns>This module.</returns>
            /// <exception cref="FileNotFoundException">There is no such file.</exception>
            /// <exception cref="EndOfStreamException">The file is incomplete.</exception>
            /// <exception cref="ArgumentException">
            /// Element types or shapes do not match; or <paramref name="strict"/> is true and paths do not match; or a path occurs twice in
            /// the file, or is in <paramref name="loadedParameters"/> already.
            /// </exception>
            /// <exception cref="FormatException">A number in the file has more than 64 bits.</exception>
            public virtual Module load(string location, bool strict = true, IList<string>? skip = null,
                Dictionary<string, bool>? loadedParameters = null)
            {
                if (!File.Exists(location)) throw new FileNotFoundException($"There is no file {location}.", location);
                using var stream = File.OpenRead(location);
                using var reader = new BinaryReader(stream);
                return load(reader, strict, skip, loadedParameters);
            }

            /// <summary>
            /// Overwrites the module's tensors with those that a reader reads in TorchSharp's format. If they do not fit, nothing is
            /// changed.
            /// </summary>
            /// <param name="reader">The reader, which stays open.</param>
            /// <param name="strict">Whether the paths in the file must be those of <see cref="state_dict"/>.</param>
            /// <param name="skip">Paths whose tensors stay as they are.</param>
            /// <param name="loadedParameters">Receives each path in the file, and whether the module has the path.</param>
            /// <returns>This module.</returns>
            /// <exception cref="EndOfStreamException">The stream is incomplete.</exception>
            /// <exception cref="ArgumentException">
            /// Element types or shapes do not match; or <paramref name="strict"/> is true and paths do not match; or a path occurs twice in
            /// the stream, or is in <paramref name="loadedParameters"/> already.
            /// </exception>
            /// <exception cref="FormatException">A number in the stream has more than 64 bits.</exception>
            public virtual Module load(BinaryReader reader, bool strict = true, IList<string>? skip = null,
                Dictionary<string, bool>? loadedParameters = null)
            {
                var own = state_dict();
                var count = WeightFile.ReadNumber(reader);
                if (strict && count != own.Count)
                    throw new ArgumentException($"Mismatched state_dict sizes: expected {own.Count}, but found {count}.");
                var paths = new Dictionary<string, bool>();
                using var read = NewDisposeScope();
                var copies = new List<(Tensor Target, Tensor Value)>();
                for (var i = 0L; i < count; i++)
                {
                    var name = reader.ReadString();
                    var found = own.TryGetValue(name, out var target);
                    if (!found && strict)
                        throw new ArgumentException(
                            $"Mismatched module state names: the target modules does not have a submodule or buffer named '{name}'");
                    if (!paths.TryAdd(name, found)) throw new ArgumentException($"The path '{name}' occurs twice in the file.");
                    if (loadedParameters?.ContainsKey(name) == true)
                        throw new ArgumentException($"The path '{name}' is in {nameof(loadedParameters)} already.");
                    if (found && skip?.Contains(name) != true) copies.Add((target!, WeightFile.ReadFor(target!, reader, name)));
                    else WeightFile.Skip(reader);
                }

                // The whole file fits: only now is the module changed.
                using var off = no_grad();
                foreach (var (target, value) in copies) target.copy_(value);
                foreach (var (name, found) in paths) loadedParameters?.Add(name, found);
                return this;
            }

            /// <summary>Overwrites the module's tensors with those in a stream, and closes the stream.</summary>
            /// <param name="stream">The stream.</param>
            /// <param name="strict">Whether the paths in the stream must be those of <see cref="state_dict"/>.</param>
            /// <param name="skip">Paths whose tensors stay as they are.</param>
            /// <param name="loadedParameters">Receives each path in the stream, and whether the module has the path.</param>
            /// <returns>This module.</returns>
            public Module load(Stream stream, bool strict = true, IList<string>? skip = null,
                Dictionary<string, bool>? loadedParameters = null)
            {
                using var reader = new BinaryReader(stream);
                return load(reader, strict, skip, loadedParameters);
            }

            /// <summary>Creates a module with the weights of a file in TorchSharp's format.</summary>
            /// <typeparam name="T">The class of the module.</typeparam>
            /// <param name="path">The file.</param>
            public static Module Create<T>(string path) where T : Module, new() => new T().load(path);
        }
    }
}
