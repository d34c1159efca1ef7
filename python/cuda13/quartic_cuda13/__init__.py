"""The library of quartic's CUDA backend. There is nothing to call: quartic finds it in this folder."""
