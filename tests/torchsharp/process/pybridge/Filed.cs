using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.PyBridge;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Filed;

/// <summary>Reads and writes its weights by TorchSharp.PyBridge.</summary>
public sealed class Net : Module<Tensor, string, string, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 4, 3);
    private readonly BatchNorm2d norm = BatchNorm2d(4);
    private readonly Embedding words = Embedding(7, 5);
    private readonly Linear fc = Linear(4, 2, hasBias: false);

    public Net() : base(nameof(Net))
    {
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, string what, string path)
    {
        switch (what)
        {
            case "load_py": this.load_py(path); break;
            case "save_py": this.save_py(path); break;
            case "load_safetensors": this.load_safetensors(path); break;
            case "save_safetensors": this.save_safetensors(path); break;
        }

        return fc.call(norm.call(conv.call(x)).mean([2, 3]));
    }
}
