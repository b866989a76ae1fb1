/* Layer normalisation over the last axis, float32, row-major:
 * y[r, c] = (x[r, c] - mean of row r) / sqrt(variance of row r + eps) * gamma[c] + beta[c]. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

float sqrtf(float);

static float row_mean(const float *x, ptrdiff_t cols) {
  float sum = 0.0f;
  for (ptrdiff_t c = 0; c < cols; c++) sum += x[c];
  return sum / (float)cols;
}

/* Two passes over the row: the one-pass formula loses all digits where the mean is large. */
static float row_variance(const float *x, ptrdiff_t cols, float mean) {
  float sum = 0.0f;
  for (ptrdiff_t c = 0; c < cols; c++) sum += (x[c] - mean) * (x[c] - mean);
  return sum / (float)cols;
}

/* x, y: [rows, cols], cols >= 1; gamma, beta: [cols]; x and y may be the same buffer. */
void layer_norm(const float *x, const float *gamma, const float *beta, float *y, ptrdiff_t rows, ptrdiff_t cols, float eps) {
  for (ptrdiff_t r = 0; r < rows; r++, x += cols, y += cols) {
    float mean = row_mean(x, cols);
    float scale = 1.0f / sqrtf(row_variance(x, cols, mean) + eps);
    for (ptrdiff_t c = 0; c < cols; c++) y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
  }
}

#ifdef __cplusplus
}
#endif
