// Calls that a compiler could bind to a member of TorchSharp before 0.107, in the forms in which sources write them.
using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
using static TorchSharp.torch.nn.functional;

namespace Bindings
{
    public sealed class Converted : Module<Tensor, Tensor>
    {
        public Converted() : base(nameof(Converted)) => RegisterComponents();

        public override Tensor forward(Tensor x) => x;

        protected override Module _to(ScalarType dtype, bool non_blocking)
        {
            base._to(dtype, non_blocking);
            base._to(CPU, dtype, non_blocking);
            base._to(DeviceType.CPU, -1, non_blocking);
            _to(zeros(1), non_blocking);
            _toEpilog(dtype, non_blocking);
            _toEpilog(CPU, dtype, non_blocking);
            _toEpilog(DeviceType.CPU, 0, non_blocking);
            return this;
        }
    }

    public static class Uses
    {
        public static void Tensors(Tensor x, Tensor other, Device device, ScalarType type, long[] dims)
        {
            _ = x.grad;
            x.grad = other;
            _ = x.grad?.shape;
            if (x.grad is not null) x.grad.Dispose();
            _ = x.to(type);
            _ = x.to(type, true);
            _ = x.to(type, true, false);
            _ = x.to(type, true, false, true);
            _ = x.to(type, copy: true);
            _ = x.to(type, disposeAfter: true);
            _ = x.to(type, copy: true, disposeAfter: true);
            _ = x.to(type, non_blocking: true);
            _ = x.to(device);
            _ = x.to(device, true);
            _ = x.to(device, true, false);
            _ = x.to(device, true, false, true);
            _ = x.to(device, copy: true, disposeAfter: false);
            _ = x.to(type, device);
            _ = x.to(type, device, true);
            _ = x.to(type, device, true, false);
            _ = x.to(type, device, true, false, true);
            _ = x.to(DeviceType.CPU);
            _ = x.to(DeviceType.CPU, 0);
            _ = x.to(DeviceType.CPU, 0, true);
            _ = x.to(DeviceType.CPU, 0, true, false);
            _ = x.to(DeviceType.CPU, 0, true, false, true);
            _ = x.to("cpu");
            _ = x.to("cpu", true);
            _ = x.to("cpu", true, false);
            _ = x.to("cpu", true, false, true);
            _ = x.to(other);
            _ = x.to(other, true);
            _ = x.to(other: other);
            _ = x.to(1.0);
            _ = x.to_type(type);
            _ = x.to_type(type, true);
            _ = x.to_type(type, true, false);
            _ = x.to_type(type, copy: true, disposeAfter: false);
            _ = x.cuda();
            _ = x.cuda(null);
            _ = x.cuda(device);
            _ = x.cuda(device, true);
            _ = x.cuda(non_blocking: true);
            _ = x.mps();
            _ = x.mps(true);
            _ = x.softplus();
            _ = x.softplus(1);
            _ = x.softplus(1, 20);
            _ = x.softplus(1, 20.0);
            _ = x.softplus(1.0, 20);
            _ = x.softplus(beta: 1);
            _ = x.softplus(threshold: 20, beta: 1);
            _ = x.var();
            _ = x.var(false);
            _ = x.var(dims);
            _ = x.var(dims, true);
            _ = x.var(dims, true, false);
            _ = x.var(dims, true, false, type);
            _ = x.var(dims, keepdim: true);
            _ = x.var(dims, keepdim: true, type: null);
            _ = x.var(1, true, true, null);
            Func<Device, bool, bool, bool, Tensor> convert = x.to;
            Func<double, double, Tensor> soft = x.softplus;
            Func<Tensor, Tensor> sum = x.add;
            (_, _, _) = (convert, soft, sum);
        }

        public static void Functions(Tensor x, Tensor i, long[] two, long[] size, double[] factor)
        {
            _ = avg_pool2d(x, 2);
            _ = avg_pool2d(x, 2, null);
            _ = avg_pool2d(x, 2, 1, 0);
            _ = avg_pool2d(x, 2, 1, 0, false);
            _ = avg_pool2d(x, 2, 1, 0, false, true);
            _ = avg_pool2d(x, 2, null, 0, false, true);
            _ = avg_pool2d(x, 2, 1, 0, false, true, 3);
            _ = avg_pool2d(x, (2, 2));
            _ = avg_pool2d(x, (2, 2), (1, 1), (0, 0), false, true);
            _ = avg_pool2d(x, (2, 2), null, null, false, true);
            _ = avg_pool2d(x, (2, 2), null, null, false, true, null);
            _ = avg_pool2d(x, two);
            _ = avg_pool2d(x, two, two, two, false, true);
            _ = avg_pool2d(x, two, null, null, false, true);
            _ = functional.avg_pool2d(x, two, null, null, false, true);
            _ = torch.nn.functional.avg_pool2d(x, two, null, null, false, true, null);
            _ = avg_pool2d(x, new long[] { 2, 2 }, stride: two, ceil_mode: false, count_include_pad: true);
            _ = avg_pool2d_backward(x, i, two);
            _ = avg_pool2d_backward(x, i, two, two, two, false, true);
            _ = avg_pool2d_backward(x, i, two, two, two, false, true, null);
            _ = avg_pool2d_backward(x, i, two, two, two, false, true, 4);
            _ = avg_pool2d_backward(x, i, two, null, null, false, true, 4L);
            _ = avg_pool3d(x, two);
            _ = avg_pool3d(x, two, two, two, false, true);
            _ = avg_pool3d(x, two, null, null, false, true);
            _ = functional.avg_pool3d(x, two, null, null, false, true, 2);
            _ = avg_pool3d_backward(x, i, two, two, two, false, true, 4);
            _ = functional.avg_pool3d_backward(x, i, two, null, null, false, true, 4);
            _ = max_unpool2d(x, i, two);
            _ = functional.max_unpool2d(x, i, two);
            _ = max_unpool2d(x, i, kernel_size: two);
            _ = max_unpool2d(x, i, two, two);
            _ = max_unpool2d(x, i, two, null, null, size);
            _ = max_unpool3d(x, i, two);
            _ = max_unpool3d(x, i, two, two, two);
            _ = functional.max_unpool3d(x, i, two, two, two);
            _ = max_unpool3d(x, i, two, null, null);
            _ = max_unpool3d(x, i, two, two, two, size);
            _ = interpolate(x, size);
            _ = interpolate(x, size, null, InterpolationMode.Nearest, null, false);
            _ = functional.interpolate(x, null, factor, InterpolationMode.Bilinear, true, false);
            _ = interpolate(x, size, mode: InterpolationMode.Bilinear, align_corners: false);
            _ = interpolate(x, size, null, InterpolationMode.Nearest, null, false, true);
            _ = softplus(x);
            _ = softplus(x, 1);
            _ = softplus(x, 1, 20);
            _ = functional.softplus(x, 1, 20);
            _ = softplus(x, 1, 20.0);
            _ = softplus(x, beta: 2, threshold: 20);
            Func<Tensor, Tensor, long[], long[], long[], long[], Tensor> unpool = functional.max_unpool2d;
            Func<Tensor, double, double, Tensor> soft = softplus;
            (_, _) = (unpool, soft);
        }

        public static void Layers(Linear layer, Module<Tensor, Tensor> module, Device device, ScalarType type, Tensor other)
        {
            _ = nn.AvgPool1d(2);
            _ = nn.AvgPool1d(2, null);
            _ = nn.AvgPool1d(2, 1, 0, false, true);
            _ = nn.Upsample();
            _ = nn.Upsample(new long[] { 4 });
            _ = nn.Upsample(scale_factor: new double[] { 2 }, mode: UpsampleMode.Bilinear, align_corners: true);
            _ = nn.Upsample(null, new double[] { 2 }, UpsampleMode.Bilinear, true, false);
            _ = nn.Softplus();
            _ = nn.Softplus(1);
            _ = nn.Softplus(1, 20.0);
            _ = nn.Softplus(beta: 2);
            var plus = nn.Softplus(2.0, 20.0);
            plus.beta = 1;
            plus.threshold = (int)plus.beta;
            _ = layer.to(type);
            _ = layer.to(type, true);
            _ = layer.to(device);
            _ = layer.to(device, true);
            _ = layer.to(device, type);
            _ = layer.to(device, type, non_blocking: true);
            _ = layer.to(DeviceType.CPU);
            _ = layer.to(DeviceType.CPU, 0);
            _ = layer.to(DeviceType.CPU, 0, true);
            _ = layer.to("cpu");
            _ = layer.to("cpu", true);
            _ = layer.to(other);
            _ = layer.to(other, true);
            _ = layer.cpu().cuda().cuda(1).cuda(1, true).@bool().@byte().@char().@short().@int().@long().half().bfloat16();
            _ = layer.@float().@double().cfloat().cdouble().half(true);
            _ = module.to<Module<Tensor, Tensor>>(device);
            module.cuda().eval();
        }

        public static void Training(optim.Optimizer optimizer)
        {
            _ = optim.lr_scheduler.PolynomialLR(optimizer);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, 4);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, 4, 2);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, 4, 2, -1);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, 4, 2.0, -1, false);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, power: 2);
            _ = new optim.lr_scheduler.impl.PolynomialLR(optimizer, 4, 2);
            _ = new optim.lr_scheduler.impl.PolynomialLR(optimizer, 4, 2.0, -1, false);
            using (var scope = NewDisposeScope()) scope.Attach(zeros(1));
        }

        public static void Loading(torch.utils.data.Dataset set, torch.utils.data.IterableDataset list,
            torch.utils.data.Dataset<long> numbers)
        {
            _ = torch.utils.data.DataLoader(set, 2);
            _ = torch.utils.data.DataLoader(set, 2, true);
            _ = torch.utils.data.DataLoader(set, 2, true, CPU, 1, 1, true, true);
            _ = torch.utils.data.DataLoader(set, 2, new long[] { 1 });
            _ = torch.utils.data.DataLoader(set, 2, new long[] { 1 }, null, 1, true, true);
            _ = torch.utils.data.DataLoader(list, 2, shuffle: true, drop_last: true);
            _ = torch.utils.data.DataLoader(list, 2, new long[] { 1 }, num_worker: 2);
            _ = new DataLoader(set, 2);
            _ = new DataLoader(set, 2, true, null, null);
            _ = new DataLoader(set, 2, new long[] { 1 }, CPU);
            _ = new IterableDataLoader(list, 2, true);
            _ = new IterableDataLoader(list, 2, new long[] { 1 });
            _ = new DataLoader<long, long>(numbers, 2, (all, device) => all.Sum());
            _ = new DataLoader<long, long>(numbers, 2, (all, device) => all.Sum(), true, CPU);
            _ = new DataLoader<long, long>(numbers, 2, (all, device) => all.Sum(), new long[] { 1 }, CPU, 1, false, true);
        }
    }

    // Here a member of an older version fits better, and does the same.
    public static class SameEither
    {
        public static void Run(optim.Optimizer optimizer, torch.utils.data.Dataset set, torch.utils.data.IterableDataset list,
            torch.utils.data.Dataset<long> numbers, Linear layer)
        {
            _ = nn.Upsample(null, new double[] { 2 }, UpsampleMode.Bilinear, true);
            _ = nn.Softplus(1, 20);
            _ = nn.Softplus(threshold: 20, beta: 1);
            _ = optim.lr_scheduler.PolynomialLR(optimizer, 4, 2, -1, false);
            _ = new optim.lr_scheduler.impl.PolynomialLR(optimizer, 4, 2, -1, false);
            _ = torch.utils.data.DataLoader(set, 2, true, null, null, 1, false);
            _ = torch.utils.data.DataLoader(set, 2, new long[] { 1 }, null, 1, false);
            _ = torch.utils.data.DataLoader(list, 2, true, null, 1, 1, false);
            _ = torch.utils.data.DataLoader(list, 2, new long[] { 1 }, null, 1, false);
            _ = new DataLoader(set, 2, true, null, null, 1, false);
            _ = new DataLoader(set, 2, new long[] { 1 }, null, 1, false);
            _ = new IterableDataLoader(list, 2, true, null, null, 1, false);
            _ = new IterableDataLoader(list, 2, new long[] { 1 }, null, 1, false);
            _ = new DataLoader<long, long>(numbers, 2, (all, device) => all.Sum(), true, CPU, null, 1, false);
            _ = new DataLoader<long, long>(numbers, 2, (all, device) => all.Sum(), new long[] { 1 }, CPU, 1, false);
            _ = ModuleExtensionMethods.to(layer, CPU);
            _ = ModuleExtensionMethods.cpu(layer);
        }
    }
}
