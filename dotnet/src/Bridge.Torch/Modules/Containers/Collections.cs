using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp.Modules
{
    /// <summary>A list of modules.</summary>
    public class ModuleList<T>(params T[] modules) : ComponentList<T>(nameof(ModuleList<T>), modules) where T : torch.nn.Module;

    /// <summary>A list of parameters.</summary>
    public class ParameterList(params Parameter[] parameters) : ComponentList<Parameter>(nameof(ParameterList), parameters);

    /// <summary>A dictionary of modules.</summary>
    public class ModuleDict<T>() : ComponentDict<T>(nameof(ModuleDict<T>)) where T : torch.nn.Module;

    /// <summary>A dictionary of parameters.</summary>
    public class ParameterDict() : ComponentDict<Parameter>(nameof(ParameterDict));
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ModuleList<Module> ModuleList(params Module[] modules) => new(modules);

            public static ModuleList<T> ModuleList<T>(params T[] modules) where T : Module => new(modules);

            public static ParameterList ParameterList(params Parameter[] parameters) => new(parameters);

            public static ModuleDict<Module> ModuleDict(params (string, Module)[] modules) => ModuleDict<Module>(modules);

            public static ModuleDict<T> ModuleDict<T>(params (string, T)[] modules) where T : Module
            {
                var made = new ModuleDict<T>();
                foreach (var item in modules) made.Add(item);
                return made;
            }

            public static ParameterDict ParameterDict(params (string, Parameter)[] parameters)
            {
                var made = new ParameterDict();
                foreach (var item in parameters) made.Add(item);
                return made;
            }
        }
    }
}
