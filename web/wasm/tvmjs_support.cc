// What a page needs beside the C interface of apache-tvm-ffi, which wasm_runtime.bc exports itself: memory, calls of registered
// functions by name, the text of the last error. web/tvm.mjs uses it.
#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// As DLPack asks of a tensor's data.
constexpr size_t kAlignment = 64;

std::string Text(const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); }

}  // namespace

extern "C" {

// Memory for strings and for the data of tensors, 64-byte aligned; NULL where there is none left.
TVM_FFI_DLL_EXPORT void* tvm_bytes_alloc(size_t nbytes) {
  if (nbytes > SIZE_MAX - 2 * kAlignment) return nullptr;
  return std::aligned_alloc(kAlignment, (nbytes / kAlignment + 1) * kAlignment);
}

TVM_FFI_DLL_EXPORT void tvm_bytes_free(void* bytes) { std::free(bytes); }

// `count` cells for arguments and a result, all None; NULL where there is no memory left.
TVM_FFI_DLL_EXPORT TVMFFIAny* tvm_cells_alloc(int32_t count) {
  return count < 0 ? nullptr : static_cast<TVMFFIAny*>(std::calloc(count > 0 ? count : 1, sizeof(TVMFFIAny)));
}

// Frees the cells, not what they hold: arguments are lent, and a result is given back with tvm_cell_release.
TVM_FFI_DLL_EXPORT void tvm_cells_free(TVMFFIAny* cells) { std::free(cells); }

// Give back the object that a result's cell owns, and make the cell None.
TVM_FFI_DLL_EXPORT void tvm_cell_release(TVMFFIAny* cell) {
  if (cell->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(cell->v_obj);
  std::memset(cell, 0, sizeof(TVMFFIAny));
}

// Call the function that is registered as `name`; 0, or -1 with an error that tvm_last_error tells.
TVM_FFI_DLL_EXPORT int32_t tvm_call(const char* name, TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  TVMFFIByteArray key{name, std::strlen(name)};
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionGetGlobal(&key, &function) != 0) return -1;
  if (function == nullptr) {
    const char* parts[] = {"no function is registered as '", name, "'"};
    TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 3);
    return -1;
  }
  int code = TVMFFIFunctionCall(function, args, count, result);
  TVMFFIObjectDecRef(function);
  return code == 0 ? 0 : -1;
}

// Take the last error: "Kind: message", valid until the next call of this function; NULL if nothing was raised.
TVM_FFI_DLL_EXPORT const char* tvm_last_error() {
  static std::string text;
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return nullptr;
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  text = Text(cell->kind) + ": " + Text(cell->message);
  TVMFFIObjectDecRef(error);
  return text.c_str();
}

}  // extern "C"
