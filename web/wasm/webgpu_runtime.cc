// Buffers and kernels of the page's WebGPU. The module tvm_webgpu, which web/webgpu.mjs provides, does the work; here every
// number is checked first, so that a wrong one is an error with a message and not a lost device.
#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#define TVM_WEBGPU_IMPORT(NAME) __attribute__((import_module("tvm_webgpu"), import_name(NAME)))

extern "C" {

// Each returns 0, or -1 after it has called TVMFFIErrorSetRaisedFromCStr.
TVM_WEBGPU_IMPORT("create") int32_t tvm_webgpu_js_create(int32_t buffer, uint32_t nbytes);
TVM_WEBGPU_IMPORT("destroy") int32_t tvm_webgpu_js_destroy(int32_t buffer);
TVM_WEBGPU_IMPORT("upload") int32_t tvm_webgpu_js_upload(int32_t buffer, uint32_t offset, const void* source, uint32_t nbytes);
// Starts a copy. When its bytes are in `target`, the page calls tvm_webgpu_complete with the ticket.
TVM_WEBGPU_IMPORT("download")
int32_t tvm_webgpu_js_download(int32_t ticket, int32_t buffer, uint32_t offset, void* target, uint32_t nbytes);
TVM_WEBGPU_IMPORT("dispatch")
int32_t tvm_webgpu_js_dispatch(const char* shader, const char* entry, const int32_t* buffers, int32_t count, uint32_t x,
                               uint32_t y, uint32_t z);

}  // extern "C"

namespace {

// WebGPU copies whole words.
constexpr uint32_t kWord = 4;
// The default limit maxComputeWorkgroupsPerDimension of WebGPU.
constexpr uint32_t kMostGroups = 65535;

struct State {
  std::map<int32_t, uint32_t> sizes;
  std::set<int32_t> pending;
  int32_t last_buffer = 0;
  int32_t last_ticket = 0;
};

State& Global() {
  static State state;
  return state;
}

int32_t Fail(const std::string& message) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", message.c_str());
  return -1;
}

int32_t CheckBuffer(int32_t buffer) {
  if (Global().sizes.count(buffer)) return 0;
  return Fail("WebGPU buffer " + std::to_string(buffer) + " does not exist");
}

int32_t CheckRange(int32_t buffer, uint32_t offset, uint32_t nbytes) {
  if (CheckBuffer(buffer) != 0) return -1;
  uint32_t size = Global().sizes[buffer];
  if (offset % kWord != 0 || nbytes % kWord != 0) {
    return Fail("WebGPU copies words of 4 bytes: offset " + std::to_string(offset) + ", " + std::to_string(nbytes) + " bytes");
  }
  if (offset > size || nbytes > size - offset) {
    return Fail("bytes " + std::to_string(offset) + " to " + std::to_string(uint64_t{offset} + nbytes) + " are not in WebGPU buffer " +
                std::to_string(buffer) + " of " + std::to_string(size) + " bytes");
  }
  return 0;
}

}  // namespace

extern "C" {

// Make a buffer of `nbytes` bytes, a positive multiple of 4. Returns its number, or -1: tvm_last_error tells why (here and below).
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_alloc(uint32_t nbytes) {
  if (nbytes == 0 || nbytes % kWord != 0) {
    return Fail("a WebGPU buffer has a positive multiple of 4 bytes, not " + std::to_string(nbytes));
  }
  State& state = Global();
  int32_t buffer = state.last_buffer + 1;
  if (tvm_webgpu_js_create(buffer, nbytes) != 0) return -1;
  state.sizes[buffer] = nbytes;
  state.last_buffer = buffer;
  return buffer;
}

// Destroy a buffer.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_free(int32_t buffer) {
  if (CheckBuffer(buffer) != 0) return -1;
  Global().sizes.erase(buffer);
  return tvm_webgpu_js_destroy(buffer);
}

// Copy `nbytes` bytes of memory into a buffer, from byte `offset` on; both are multiples of 4.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_upload(int32_t buffer, uint32_t offset, const void* source, uint32_t nbytes) {
  if (CheckRange(buffer, offset, nbytes) != 0) return -1;
  return tvm_webgpu_js_upload(buffer, offset, source, nbytes);
}

// Start to copy bytes of a buffer to memory, which must stay until tvm_webgpu_pending of the returned ticket is 0.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_download(int32_t buffer, uint32_t offset, void* target, uint32_t nbytes) {
  if (CheckRange(buffer, offset, nbytes) != 0) return -1;
  State& state = Global();
  int32_t ticket = ++state.last_ticket;
  state.pending.insert(ticket);
  if (tvm_webgpu_js_download(ticket, buffer, offset, target, nbytes) == 0) return ticket;
  state.pending.erase(ticket);
  return -1;
}

// Tell whether a download is under way: 1 or 0.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_pending(int32_t ticket) { return Global().pending.count(ticket) ? 1 : 0; }

// The page says that a download has ended.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_complete(int32_t ticket) {
  if (Global().pending.erase(ticket) == 1) return 0;
  return Fail("no WebGPU download has ticket " + std::to_string(ticket));
}

// Run function `entry` of a WGSL shader over x * y * z workgroups; the buffers are bindings 0, 1, ... of group 0.
TVM_FFI_DLL_EXPORT int32_t tvm_webgpu_dispatch(const char* shader, const char* entry, const int32_t* buffers, int32_t count,
                                               uint32_t x, uint32_t y, uint32_t z) {
  for (uint32_t groups : {x, y, z}) {
    if (groups == 0 || groups > kMostGroups) {
      return Fail("WebGPU runs 1 to 65535 workgroups in a dimension, not " + std::to_string(groups));
    }
  }
  for (int32_t binding = 0; binding < count; ++binding) {
    if (CheckBuffer(buffers[binding]) != 0) return -1;
  }
  return tvm_webgpu_js_dispatch(shader, entry, buffers, count, x, y, z);
}

}  // extern "C"
