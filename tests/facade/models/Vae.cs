using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A variational autoencoder with initial values of its own; a training run draws its latent vector.</summary>
public class Vae : Module<Tensor, (Tensor reconstruction, Tensor mu, Tensor logvar)>
{
    private readonly Linear fc1;
    private readonly Linear fc_mu;
    private readonly Linear fc_logvar;
    private readonly Sequential decoder;

    public Vae(long inputs, long hidden, long latent) : base(nameof(Vae))
    {
        fc1 = Linear(inputs, hidden);
        fc_mu = Linear(hidden, latent);
        fc_logvar = Linear(hidden, latent);
        decoder = Sequential(
            ("fc", Linear(latent, hidden)),
            ("act", ELU(alpha: 0.5)),
            ("out", Linear(hidden, inputs)),
            ("sigmoid", Sigmoid()));
        RegisterComponents();
        Initialize();
    }

    private void Initialize()
    {
        foreach (var (name, parameter) in named_parameters())
        {
            if (name.EndsWith("bias"))
                init.constant_(parameter, 0.01);
            else
                init.xavier_uniform_(parameter, init.calculate_gain(init.NonlinearityType.ReLU));
        }
        init.kaiming_normal_(fc1.weight!, mode: init.FanInOut.FanOut, nonlinearity: init.NonlinearityType.ReLU);
        init.orthogonal_(fc_mu.weight!);
        init.trunc_normal_(fc_logvar.weight!, std: 0.02, a: -0.04, b: 0.04);
    }

    public (Tensor, Tensor) Encode(Tensor x)
    {
        var h = functional.relu(fc1.call(x));
        return (fc_mu.call(h), fc_logvar.call(h));
    }

    private Tensor Reparameterize(Tensor mu, Tensor logvar)
    {
        if (!training) return mu;
        var std = exp(0.5 * logvar);
        var eps = randn_like(std);
        return mu + eps * std;
    }

    public override (Tensor reconstruction, Tensor mu, Tensor logvar) forward(Tensor x)
    {
        var (mu, logvar) = Encode(x.view(x.shape[0], -1));
        return (decoder.call(Reparameterize(mu, logvar)).view_as(x), mu, logvar);
    }
}
