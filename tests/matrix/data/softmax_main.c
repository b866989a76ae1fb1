/* softmax_main ROWS COLS IN OUT: a program around examples/kernels/softmax.c; the files hold float32, row-major. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C"
#endif
    void softmax(const float *x, float *y, ptrdiff_t rows, ptrdiff_t cols);

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  size_t rows = strtoul(argv[1], NULL, 10), cols = strtoul(argv[2], NULL, 10);
  float *x = (float *)malloc(rows * cols * sizeof(float));
  FILE *in = fopen(argv[3], "rb"), *out = fopen(argv[4], "wb");
  if (x == NULL || in == NULL || out == NULL) return 3;
  if (fread(x, sizeof(float), rows * cols, in) != rows * cols) return 4;
  softmax(x, x, (ptrdiff_t)rows, (ptrdiff_t)cols);
  if (fwrite(x, sizeof(float), rows * cols, out) != rows * cols) return 5;
  return fclose(out) == 0 ? 0 : 6;
}
