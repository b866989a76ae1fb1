/* What images/ndk/tvm-run.c asks of a Unix system, by the functions of Windows. */
#include <malloc.h>
#include <stdio.h>
#include <windows.h>

enum { RTLD_NOW, RTLD_LOCAL = 0 };

static inline void *aligned_alloc(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }

static inline void *dlopen(const char *path, int flags) {
  (void)flags;
  return (void *)LoadLibraryA(path);
}

static inline void *dlsym(void *library, const char *name) {
  return (void *)GetProcAddress((HMODULE)library, name);
}

static inline const char *dlerror(void) {
  static char text[32];
  snprintf(text, sizeof text, "Windows error %lu", GetLastError());
  return text;
}
