/* Softmax over the last axis, float32, row-major: y[r, c] = exp(x[r, c]) / sum over k of exp(x[r, k]). */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

float expf(float);

static float row_maximum(const float *x, ptrdiff_t cols) {
  float largest = x[0];
  for (ptrdiff_t c = 1; c < cols; c++) largest = x[c] > largest ? x[c] : largest;
  return largest;
}

/* x, y: [rows, cols], cols >= 1; they may be the same buffer. The row's maximum is taken off first, so that expf cannot
 * overflow. */
void softmax(const float *x, float *y, ptrdiff_t rows, ptrdiff_t cols) {
  for (ptrdiff_t r = 0; r < rows; r++, x += cols, y += cols) {
    float largest = row_maximum(x, cols);
    float sum = 0.0f;
    for (ptrdiff_t c = 0; c < cols; c++) {
      y[c] = expf(x[c] - largest);
      sum += y[c];
    }
    float scale = 1.0f / sum;
    for (ptrdiff_t c = 0; c < cols; c++) y[c] *= scale;
  }
}

#ifdef __cplusplus
}
#endif
