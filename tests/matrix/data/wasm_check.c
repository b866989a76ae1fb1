/* Functions that the WebAssembly checks call. */
#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/c_api.h>

float last_of(const float *x, ptrdiff_t count) { return x[count - 1]; }

/* scale(tensor, factor): multiply a float32 tensor in place and return how many numbers it has. */
static int scale(void *self, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)self;
  if (count != 2 || args[0].type_index != kTVMFFIDLTensorPtr || args[1].type_index != kTVMFFIFloat) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "scale wants a tensor and a float");
    return -1;
  }
  DLTensor *x = (DLTensor *)args[0].v_ptr;
  int64_t size = 1;
  for (int32_t d = 0; d < x->ndim; d++) size *= x->shape[d];
  for (int64_t i = 0; i < size; i++) ((float *)x->data)[i] *= (float)args[1].v_float64;
  result->type_index = kTVMFFIInt;
  result->v_int64 = size;
  return 0;
}

__attribute__((constructor)) static void register_scale(void) {
  static const char name[] = "check.scale";
  TVMFFIByteArray key = {name, sizeof(name) - 1};
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(NULL, scale, NULL, &function) != 0 || TVMFFIFunctionSetGlobal(&key, function, 1) != 0) __builtin_trap();
  TVMFFIObjectDecRef(function);
}
