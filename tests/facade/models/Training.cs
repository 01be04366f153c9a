using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A loop with Adam and a scheduler.</summary>
public static class Training
{
    /// <summary>A net after some epochs on data drawn from the generator of the process.</summary>
    public static Regressor Fit(int epochs, int batches)
    {
        var model = new Regressor();
        var x = randn(16 * batches, 6);
        var y = x.sum(1, keepdim: true).sin();
        var loss = MSELoss();
        var optimizer = optim.Adam(model.parameters(), lr: 0.01, weight_decay: 1e-3);
        var scheduler = optim.lr_scheduler.StepLR(optimizer, step_size: 2, gamma: 0.5);
        model.train();
        for (int epoch = 0; epoch < epochs; epoch++)
        {
            using (var scope = NewDisposeScope())
            {
                for (int i = 0; i < batches; i++)
                {
                    var prediction = model.call(x.narrow(0, 16 * i, 16));
                    var output = loss.call(prediction, y.narrow(0, 16 * i, 16));
                    optimizer.zero_grad();
                    output.backward();
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0);
                    optimizer.step();
                }
            }
            scheduler.step();
        }
        return model;
    }
}
