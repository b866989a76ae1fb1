extern __device__ float scaled(float x, int n);

extern "C" __global__ void caller(float *x, int n) { x[threadIdx.x] = scaled(x[threadIdx.x], n); }
