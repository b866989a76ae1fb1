/* What Android's C libraries have and the GNU C library has not. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int *tvm___errno(void) { return &errno; }

int tvm___android_log_write(int priority, const char *tag, const char *text) {
  return fprintf(stderr, "%d %s: %s\n", priority, tag, text);
}

int tvm___android_log_print(int priority, const char *tag, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = fprintf(stderr, "%d %s: ", priority, tag);
  written += vfprintf(stderr, format, arguments);
  va_end(arguments);
  return written;
}
