using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Scores and boxes of each cell: tuples as results and as an argument.</summary>
public class Detector : Module<Tensor, (Tensor scores, Tensor boxes, (Tensor, Tensor) raw)>
{
    private readonly Conv2d backbone = Conv2d(3, 8, 3, padding: 1);
    private readonly BoxHead head = new(8, anchors: 2);
    private readonly BoxDecoder decoder = new(stride: 4);

    public Detector() : base(nameof(Detector))
    {
        RegisterComponents();
    }

    public override (Tensor scores, Tensor boxes, (Tensor, Tensor) raw) forward(Tensor image)
    {
        var feature = backbone.call(image).relu();
        var (logits, offsets) = head.call(feature);
        var boxes = decoder.call((offsets, feature));
        return (logits.sigmoid(), boxes, (logits, offsets));
    }
}

/// <summary>One result a task.</summary>
public class BoxHead : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Conv2d cls_logits;
    private readonly Conv2d bbox_pred;

    public BoxHead(int channels, int anchors) : base(nameof(BoxHead))
    {
        cls_logits = Conv2d(channels, anchors, kernel_size: 1);
        bbox_pred = Conv2d(channels, anchors * 4, kernel_size: 1);
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor x)
    {
        return (cls_logits.call(x), bbox_pred.call(x));
    }
}

/// <summary>Offsets from the centres of cells to corners, in pixels.</summary>
public class BoxDecoder : Module<(Tensor, Tensor), Tensor>
{
    private readonly long stride;

    public BoxDecoder(long stride) : base(nameof(BoxDecoder))
    {
        this.stride = stride;
        RegisterComponents();
    }

    public override Tensor forward((Tensor, Tensor) input)
    {
        var (offsets, feature) = input;
        var (height, width) = (feature.shape[2], feature.shape[3]);
        var ys = (arange(height, dtype: float32, device: feature.device) + 0.5f) * stride;
        var xs = (arange(width, dtype: float32, device: feature.device) + 0.5f) * stride;
        var grid = meshgrid(new[] { ys, xs }, indexing: "ij").ToArray();
        var centre = stack(new[] { grid[1], grid[0] }, dim: -1).view(1, height * width, 1, 2);
        var deltas = offsets.permute(0, 2, 3, 1).reshape(offsets.shape[0], height * width, -1, 4);
        var middle = centre + deltas[TensorIndex.Ellipsis, TensorIndex.Slice(stop: 2)] * stride;
        var half = deltas[TensorIndex.Ellipsis, TensorIndex.Slice(start: 2)].exp() * stride / 2;
        return cat(new[] { middle - half, middle + half }, dim: -1).flatten(1, 2);
    }
}
