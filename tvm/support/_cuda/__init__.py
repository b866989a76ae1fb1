"""What `tvm.support.nvcc` is made of: discovery, NVRTC, nvcc, linking, capabilities."""
