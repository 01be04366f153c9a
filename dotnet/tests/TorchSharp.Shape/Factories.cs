using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>What an encoder layer has between its two linear ones; nothing here computes it.</summary>
        public enum Activations
        {
            ReLU = 0,
            GELU = 1,
        }

        public static Linear Linear(long inputSize, long outputSize) => new(inputSize, outputSize);

        public static ReLU ReLU() => new();

        public static Identity Identity() => new();

        public static LSTM LSTM(long inputSize, long hiddenSize) => inputSize > 0 ? new(hiddenSize) : throw new ArgumentException("inputSize");

        public static MultiheadAttention MultiheadAttention(long embedded_dim, long num_heads) =>
            embedded_dim % num_heads == 0 ? new() : throw new ArgumentException("num_heads");

        public static TransformerEncoderLayer TransformerEncoderLayer(
            long d_model = 512, long nhead = 8, long dim_feedforward = 2048, double dropout = 0.1, Activations activation = Activations.ReLU) =>
            d_model % nhead == 0 ? new(d_model, dim_feedforward) : throw new ArgumentException("nhead");

        public static TransformerEncoder TransformerEncoder(TransformerEncoderLayer encoder_layer, long num_layers) => new(encoder_layer, num_layers);

        public static ModuleList<T> ModuleList<T>(params T[] modules)
            where T : Module => new(modules);

        public static ModuleList<Module> ModuleList(params Module[] modules) => new(modules);

        public static Sequential Sequential(params Module<Tensor, Tensor>[] modules) => new(modules);

        public static Sequential Sequential(params (string name, Module<Tensor, Tensor> submodule)[] modules) => new(modules);

        public static Sequential Sequential(IEnumerable<(string name, Module<Tensor, Tensor> submodule)> modules) => new([.. modules]);
    }
}
