/* tvm-run LIBRARY FUNCTION ARGUMENT...: load a library, call one function of it, keep what it wrote.
 *
 *   in:FILE         a buffer with the file's bytes
 *   out:FILE:BYTES  a buffer of zeros; its bytes go to the file after the call
 *   size:N          a ptrdiff_t
 *   float:X         a float; at most one, after all others
 *
 * Buffers are 64-byte aligned. The function returns nothing. Exit code 1, with one line on stderr, if anything is wrong.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 6, ALIGNMENT = 64 };

struct output {
  char *path;
  void *bytes;
  size_t size;
};

struct call {
  intptr_t words[MAX_WORDS];
  int count;
  int has_float;
  float number;
  struct output outputs[MAX_WORDS];
  int output_count;
};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "tvm-run: %s: %s\n", what, why);
  exit(1);
}

static void *buffer(size_t size) {
  size_t whole = (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  void *bytes = aligned_alloc(ALIGNMENT, whole);
  if (bytes == NULL) fail("out of memory", strerror(errno));
  return memset(bytes, 0, whole);
}

static void *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail(path, strerror(errno));
  if (fseek(file, 0, SEEK_END) != 0) fail(path, strerror(errno));
  long size = ftell(file);
  if (size < 0) fail(path, strerror(errno));
  rewind(file);
  void *bytes = buffer((size_t)size);
  if (fread(bytes, 1, (size_t)size, file) != (size_t)size) fail(path, "cannot be read");
  fclose(file);
  return bytes;
}

static void write_file(const struct output *output) {
  FILE *file = fopen(output->path, "wb");
  if (file == NULL) fail(output->path, strerror(errno));
  if (fwrite(output->bytes, 1, output->size, file) != output->size) fail(output->path, "cannot be written");
  if (fclose(file) != 0) fail(output->path, strerror(errno));
}

static intptr_t add_output(struct call *call, const char *text) {
  struct output *output = &call->outputs[call->output_count++];
  output->path = strdup(text);
  char *colon = strrchr(output->path, ':');
  if (colon == NULL) fail(text, "an output is out:FILE:BYTES");
  *colon = '\0';
  output->size = strtoul(colon + 1, NULL, 10);
  output->bytes = buffer(output->size);
  return (intptr_t)output->bytes;
}

static const char *after(const char *text, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static void add_argument(struct call *call, const char *text) {
  const char *rest;
  if (call->has_float) fail(text, "nothing may follow float:X");
  if ((rest = after(text, "float:")) != NULL) {
    call->number = strtof(rest, NULL);
    call->has_float = 1;
    return;
  }
  if (call->count == MAX_WORDS) fail(text, "too many arguments");
  intptr_t *word = &call->words[call->count++];
  if ((rest = after(text, "in:")) != NULL) *word = (intptr_t)read_file(rest);
  else if ((rest = after(text, "out:")) != NULL) *word = add_output(call, rest);
  else if ((rest = after(text, "size:")) != NULL) *word = (intptr_t)strtoll(rest, NULL, 10);
  else fail(text, "unknown kind of argument");
}

/* A call needs the callee's own prototype: Android's armv7a, for one, passes a float by its position. */
static void invoke(void *function, const struct call *call) {
  typedef intptr_t w;
  const w *a = call->words;
  float f = call->number;
  switch (call->count * 2 + call->has_float) {
  case 4: ((void (*)(w, w))function)(a[0], a[1]); break;
  case 5: ((void (*)(w, w, float))function)(a[0], a[1], f); break;
  case 6: ((void (*)(w, w, w))function)(a[0], a[1], a[2]); break;
  case 7: ((void (*)(w, w, w, float))function)(a[0], a[1], a[2], f); break;
  case 8: ((void (*)(w, w, w, w))function)(a[0], a[1], a[2], a[3]); break;
  case 9: ((void (*)(w, w, w, w, float))function)(a[0], a[1], a[2], a[3], f); break;
  case 10: ((void (*)(w, w, w, w, w))function)(a[0], a[1], a[2], a[3], a[4]); break;
  case 11: ((void (*)(w, w, w, w, w, float))function)(a[0], a[1], a[2], a[3], a[4], f); break;
  case 12: ((void (*)(w, w, w, w, w, w))function)(a[0], a[1], a[2], a[3], a[4], a[5]); break;
  case 13: ((void (*)(w, w, w, w, w, w, float))function)(a[0], a[1], a[2], a[3], a[4], a[5], f); break;
  default: fail("arguments", "a function takes two to six words and one float");
  }
}

int main(int argc, char **argv) {
  static struct call call;
  if (argc < 3) fail("usage", "tvm-run LIBRARY FUNCTION ARGUMENT...");
  for (int i = 3; i < argc; i++) add_argument(&call, argv[i]);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fail("dlopen", dlerror());
  void *function = dlsym(library, argv[2]);
  if (function == NULL) fail("dlsym", dlerror());
  invoke(function, &call);
  for (int i = 0; i < call.output_count; i++) write_file(&call.outputs[i]);
  return 0;
}
