/* Matrix product, float32, row-major: c[m, n] = sum over k of a[m, k] * b[k, n]. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a, and of b, that one tile takes: the tile of b (32 rows of up to a few hundred floats) stays in the first cache. */
enum { TILE_M = 32, TILE_K = 32 };

static ptrdiff_t smaller(ptrdiff_t x, ptrdiff_t y) { return x < y ? x : y; }

/* The innermost loop runs along the rows of b and c, so a compiler can vectorise it without changing any sum's order. */
static void tile(const float *__restrict a, const float *__restrict b, float *__restrict c, ptrdiff_t rows, ptrdiff_t depth,
                 ptrdiff_t k, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < rows; i++)
    for (ptrdiff_t p = 0; p < depth; p++)
      for (ptrdiff_t j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

/* a: [m, k], b: [k, n], c: [m, n]; c overlaps neither. */
void matmul(const float *a, const float *b, float *c, ptrdiff_t m, ptrdiff_t k, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < m * n; i++) c[i] = 0.0f;
  for (ptrdiff_t i = 0; i < m; i += TILE_M)
    for (ptrdiff_t p = 0; p < k; p += TILE_K)
      tile(a + i * k + p, b + p * n, c + i * n, smaller(TILE_M, m - i), smaller(TILE_K, k - p), k, n);
}

#ifdef __cplusplus
}
#endif
