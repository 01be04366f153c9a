using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::warn", "text")] internal static partial void Warn(string text);

    public static partial class amp
    {
        /// <summary>
        /// Multiplies losses by a scale, so that small gradients in float16 do not become zero, and divides the gradients by it before an
        /// optimizer's step. A step whose gradients are infinite or NaN is left out, and the scale becomes smaller.
        /// </summary>
        /// <remarks>
        /// It runs PyTorch's operators in PyTorch's order: scales and steps are equal. Gradients need Python in the process. PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler">torch.amp.GradScaler</see>.
        /// </remarks>
        public sealed class GradScaler : IDisposable
        {
            private readonly string _device;
            private readonly Dictionary<optim.Optimizer, (bool Stepped, List<Tensor> Found)> _optimizers =
                new(ReferenceEqualityComparer.Instance);
            private readonly bool _enabled;
            private double _initialScale;
            private double _growthFactor;
            private double _backoffFactor;
            private long _growthInterval;
            private long _initialTracker;
            private Tensor? _scale;
            private Tensor? _tracker;

            /// <summary>Creates a scaler.</summary>
            /// <param name="device">The device type of the losses: "cuda" or "cpu". Without CUDA, a scaler for "cuda" is disabled.</param>
            /// <param name="init_scale">The scale to begin with.</param>
            /// <param name="growth_factor">
            /// By what the scale grows after <paramref name="growth_interval"/> steps without inf or NaN.
            /// </param>
            /// <param name="backoff_factor">By what the scale is multiplied after a step with inf or NaN.</param>
            /// <param name="growth_interval">The number of steps after which the scale grows.</param>
            /// <param name="enabled">Whether losses are scaled. If false, <see cref="step"/> only steps.</param>
            /// <exception cref="ArgumentException">
            /// <paramref name="growth_factor"/> is not above 1, or <paramref name="backoff_factor"/> is not below 1.
            /// </exception>
            public GradScaler(string device = "cuda", double init_scale = 65536, double growth_factor = 2, double backoff_factor = 0.5,
                long growth_interval = 2000, bool enabled = true)
            {
                ArgumentNullException.ThrowIfNull(device);
                _device = device;
                _enabled = enabled && (device != "cuda" || cuda_is_available());
                if (enabled && !_enabled) Warn("GradScaler is enabled, but CUDA is not available.  Disabling.");
                (_initialScale, _growthFactor, _backoffFactor, _growthInterval) =
                    (init_scale, growth_factor, backoff_factor, growth_interval);
                if (!_enabled) return;
                if (!(growth_factor > 1)) throw new ArgumentException("The growth factor must be > 1.0.", nameof(growth_factor));
                if (!(backoff_factor < 1)) throw new ArgumentException("The backoff factor must be < 1.0.", nameof(backoff_factor));
            }

            /// <summary>Returns the product of a tensor and the scale; the tensor itself if the scaler is disabled.</summary>
            /// <param name="outputs">The loss, or another output.</param>
            public Tensor scale(Tensor outputs)
            {
                ArgumentNullException.ThrowIfNull(outputs);
                if (!_enabled) return outputs;
                if (_scale is null)
                {
                    _scale = tensor((float)_initialScale, device: outputs.device).DetachFromDisposeScope();
                    _tracker = tensor((int)_initialTracker, device: outputs.device).DetachFromDisposeScope();
                }

                using var here = On(_scale, outputs.device);
                return outputs * here;
            }

            /// <summary>Returns the products of tensors and the scale.</summary>
            /// <param name="outputs">The losses, or other outputs.</param>
            public IList<Tensor> scale(IEnumerable<Tensor> outputs) => [.. outputs.Select(scale)];

            /// <summary>Divides an optimizer's gradients by the scale, for example before they are clipped.</summary>
            /// <param name="optimizer">The optimizer.</param>
            /// <exception cref="InvalidOperationException">
            /// Since the last <see cref="update(double?)"/>, nothing was scaled, or the optimizer's gradients were divided already; or a
            /// gradient is of type float16.
            /// </exception>
            public void unscale_(optim.Optimizer optimizer)
            {
                ArgumentNullException.ThrowIfNull(optimizer);
                if (!_enabled) return;
                var scale = Scaled(nameof(unscale_));
                if (_optimizers.TryGetValue(optimizer, out var state))
                    throw new InvalidOperationException(state.Stepped
                        ? "unscale_() is being called after step()."
                        : "unscale_() has already been called on this optimizer since the last update().");
                using var scope = NewDisposeScope();
                using var off = no_grad();
                var inverse = scale.to(ScalarType.Float64).reciprocal().to(ScalarType.Float32);
                List<Tensor> found = [];
                var gradients = optimizer.parameters().Select(parameter => parameter.grad).OfType<Tensor>().ToList();
                if (gradients.Any(gradient => gradient.dtype == ScalarType.Float16))
                    throw new InvalidOperationException("Attempting to unscale FP16 gradients.");
                foreach (var device in gradients.GroupBy(gradient => gradient.device.ToString()))
                {
                    var there = device.First().device;
                    var bad = tensor(0f, device: there).DetachFromDisposeScope();
                    found.Add(bad);
                    foreach (var type in device.GroupBy(gradient => gradient.dtype))
                        UnscaleGradients([.. type.Select(Values)], bad, On(inverse, there));
                }

                _optimizers[optimizer] = (false, found);
            }

            /// <summary>
            /// Divides the gradients by the scale, unless <see cref="unscale_"/> did, and runs the optimizer's step if no gradient is
            /// infinite or NaN.
            /// </summary>
            /// <param name="optimizer">The optimizer.</param>
            /// <returns>The result of the step; null if there was none.</returns>
            /// <exception cref="InvalidOperationException">
            /// The optimizer has stepped since the last <see cref="update(double?)"/>, or nothing was scaled, or no parameter has a
            /// gradient.
            /// </exception>
            public Tensor? step(optim.Optimizer optimizer)
            {
                ArgumentNullException.ThrowIfNull(optimizer);
                if (!_enabled) return optimizer.step();
                Scaled(nameof(step));
                if (!_optimizers.TryGetValue(optimizer, out var state)) unscale_(optimizer);
                else if (state.Stepped) throw new InvalidOperationException("step() has already been called since the last update().");
                var found = _optimizers[optimizer].Found;
                if (found.Count == 0) throw new InvalidOperationException("No inf checks were recorded for this optimizer.");
                var result = found.Sum(bad => bad.ToDouble()) == 0 ? optimizer.step() : null;
                _optimizers[optimizer] = (true, found);
                return result;
            }

            /// <summary>Makes the scale smaller if a step was left out, and greater after many steps; or sets it.</summary>
            /// <param name="new_scale">The new scale; null to adapt it.</param>
            /// <exception cref="InvalidOperationException">Nothing was scaled, or no optimizer has stepped.</exception>
            public void update(double? new_scale = null)
            {
                if (!_enabled) return;
                var scale = Scaled(nameof(update));
                using var scope = NewDisposeScope();
                using var off = no_grad();
                if (new_scale is { } number)
                {
                    scale.fill_(number);
                }
                else
                {
                    var found = _optimizers.Values.SelectMany(state => state.Found).Select(bad => On(bad, scale.device)).ToList();
                    if (found.Count == 0) throw new InvalidOperationException("No inf checks were recorded prior to update.");
                    var all = found.Skip(1).Aggregate(found[0], (sum, bad) => sum.add(bad));
                    UpdateScale(scale, _tracker!, all, _growthFactor, _backoffFactor, _growthInterval);
                }

                Forget();
            }

            /// <summary>Sets the scale to that of a tensor.</summary>
            /// <param name="new_scale">A tensor with one element, on the scaler's device type, that needs no gradient.</param>
            /// <exception cref="ArgumentException">The tensor is another one.</exception>
            public void update(Tensor new_scale)
            {
                ArgumentNullException.ThrowIfNull(new_scale);
                if (!_enabled) return;
                Scaled(nameof(update));
                if (new_scale.requires_grad || new_scale.numel() != 1
                    || new_scale.device.type != device(_device).type)
                    throw new ArgumentException(
                        $"new_scale should be a number, or a tensor on {_device} with one element and requires_grad=False.",
                        nameof(new_scale));
                update(new_scale.ToDouble());
            }

            /// <summary>Returns the scale; 1 if the scaler is disabled.</summary>
            public double get_scale() => !_enabled ? 1 : _scale?.ToDouble() ?? _initialScale;

            /// <summary>Returns by what the scale grows.</summary>
            public double get_growth_factor() => _growthFactor;

            /// <summary>Sets by what the scale grows.</summary>
            /// <param name="new_factor">The factor.</param>
            public void set_growth_factor(double new_factor) => _growthFactor = new_factor;

            /// <summary>Returns by what the scale is multiplied after a step with inf or NaN.</summary>
            public double get_backoff_factor() => _backoffFactor;

            /// <summary>Sets by what the scale is multiplied after a step with inf or NaN.</summary>
            /// <param name="new_factor">The factor.</param>
            public void set_backoff_factor(double new_factor) => _backoffFactor = new_factor;

            /// <summary>Returns the number of steps after which the scale grows.</summary>
            public long get_growth_interval() => _growthInterval;

            /// <summary>Sets the number of steps after which the scale grows.</summary>
            /// <param name="new_interval">The number of steps.</param>
            public void set_growth_interval(long new_interval) => _growthInterval = new_interval;

            /// <summary>Returns whether losses are scaled.</summary>
            public bool is_enabled() => _enabled;

            /// <summary>
            /// Returns the scale, the factors, the interval and the number of steps since the last change, by PyTorch's names.
            /// </summary>
            public Dictionary<string, double> state_dict() => !_enabled ? [] : new()
            {
                ["scale"] = get_scale(),
                ["growth_factor"] = _growthFactor,
                ["backoff_factor"] = _backoffFactor,
                ["growth_interval"] = _growthInterval,
                ["_growth_tracker"] = _tracker?.ToDouble() ?? _initialTracker,
            };

            /// <summary>Sets what <see cref="state_dict"/> returned. A disabled scaler ignores it.</summary>
            /// <param name="state_dict">The state.</param>
            /// <exception cref="InvalidOperationException">The state is empty: it is a disabled scaler's.</exception>
            public void load_state_dict(Dictionary<string, double> state_dict)
            {
                ArgumentNullException.ThrowIfNull(state_dict);
                if (!_enabled) return;
                if (state_dict.Count == 0)
                    throw new InvalidOperationException(
                        "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.");
                (_initialScale, _growthFactor, _backoffFactor) =
                    (state_dict["scale"], state_dict["growth_factor"], state_dict["backoff_factor"]);
                (_growthInterval, _initialTracker) = ((long)state_dict["growth_interval"], (long)state_dict["_growth_tracker"]);
                using var off = no_grad();
                _scale?.fill_(_initialScale);
                _tracker?.fill_(_initialTracker);
            }

            /// <summary>Frees the scaler's tensors.</summary>
            public void Dispose()
            {
                Forget();
                _scale?.Dispose();
                _tracker?.Dispose();
                (_scale, _tracker) = (null, null);
            }

            private static Tensor On(Tensor tensor, Device device) => tensor.to(device);

            /// <summary>Returns the elements of a gradient; of a sparse one, those that it stores.</summary>
            private static Tensor Values(Tensor gradient) => gradient.is_sparse ? gradient.SparseValues : gradient;

            private Tensor Scaled(string name) => _scale ?? throw new InvalidOperationException(
                $"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in "
                + "the iteration.");

            private void Forget()
            {
                foreach (var (_, found) in _optimizers.Values)
                    foreach (var bad in found) bad.Dispose();
                _optimizers.Clear();
            }
        }
    }
}
