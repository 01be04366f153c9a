using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp.Modules
{
    /// <summary>A list of modules.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html">torch.nn.ModuleList</see>.
    /// </remarks>
    /// <param name="modules">The first modules of the list.</param>
    public class ModuleList<T>(params T[] modules) : ComponentList<T>(nameof(ModuleList<T>), modules) where T : torch.nn.Module;

    /// <summary>A list of parameters.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterList.html">torch.nn.ParameterList</see>.
    /// </remarks>
    /// <param name="parameters">The first parameters of the list.</param>
    public class ParameterList(params Parameter[] parameters) : ComponentList<Parameter>(nameof(ParameterList), parameters);

    /// <summary>A dictionary of modules.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html">torch.nn.ModuleDict</see>.
    /// </remarks>
    public class ModuleDict<T>() : ComponentDict<T>(nameof(ModuleDict<T>)) where T : torch.nn.Module;

    /// <summary>A dictionary of parameters.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterDict.html">torch.nn.ParameterDict</see>.
    /// </remarks>
    public class ParameterDict() : ComponentDict<Parameter>(nameof(ParameterDict));
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates a list of modules of any class.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html">torch.nn.ModuleList</see>.
            /// </remarks>
            /// <param name="modules">The first modules of the list.</param>
            public static ModuleList<Module> ModuleList(params Module[] modules) => new(modules);

            /// <summary>Creates a list of modules of one class.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html">torch.nn.ModuleList</see>.
            /// </remarks>
            /// <param name="modules">The first modules of the list.</param>
            public static ModuleList<T> ModuleList<T>(params T[] modules) where T : Module => new(modules);

            /// <summary>Creates a list of parameters.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterList.html">torch.nn.ParameterList</see>.
            /// </remarks>
            /// <param name="parameters">The first parameters of the list.</param>
            public static ParameterList ParameterList(params Parameter[] parameters) => new(parameters);

            /// <summary>Creates a dictionary of modules of any class.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html">torch.nn.ModuleDict</see>.
            /// </remarks>
            /// <param name="modules">The first names and modules of the dictionary.</param>
            public static ModuleDict<Module> ModuleDict(params (string, Module)[] modules) => ModuleDict<Module>(modules);

            /// <summary>Creates a dictionary of modules of one class.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html">torch.nn.ModuleDict</see>.
            /// </remarks>
            /// <param name="modules">The first names and modules of the dictionary.</param>
            public static ModuleDict<T> ModuleDict<T>(params (string, T)[] modules) where T : Module
            {
                var made = new ModuleDict<T>();
                foreach (var item in modules) made.Add(item);
                return made;
            }

            /// <summary>Creates a dictionary of parameters.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterDict.html">torch.nn.ParameterDict</see>.
            /// </remarks>
            /// <param name="parameters">The first names and parameters of the dictionary.</param>
            public static ParameterDict ParameterDict(params (string, Parameter)[] parameters)
            {
                var made = new ParameterDict();
                foreach (var item in parameters) made.Add(item);
                return made;
            }
        }
    }
}
