/* Softmax over the last axis, float32, row-major: y[r, c] = exp(x[r, c]) / sum over k of exp(x[r, k]).
 *
 * x, y: [rows, cols], cols >= 1; they may be the same buffer. One work-item for each row. The row's maximum is taken off
 * first, so that exp cannot overflow. */
kernel void softmax(global const float *x, global float *y, long rows, long cols) {
  long r = get_global_id(0);
  if (r >= rows) return;
  x += r * cols;
  y += r * cols;
  float largest = x[0];
  for (long c = 1; c < cols; c++) largest = fmax(largest, x[c]);
  float sum = 0.0f;
  for (long c = 0; c < cols; c++) {
    y[c] = exp(x[c] - largest);
    sum += y[c];
  }
  float scale = 1.0f / sum;
  for (long c = 0; c < cols; c++) y[c] *= scale;
}
