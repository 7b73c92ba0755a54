/* Floating point: a power of a matrix, and its trace. */
#include <math.h>
#include <stdio.h>
enum { N = 40 };
static double a[N][N], b[N][N], c[N][N];
static void multiply(double x[N][N], double y[N][N], double z[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++) s += x[i][k] * y[k][j];
            z[i][j] = s;
        }
}
int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = b[i][j] = sin(i * 3 + j) / N;
    for (int k = 0; k < 5; k++) {
        multiply(a, b, c);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) b[i][j] = c[i][j];
    }
    double t = 0;
    for (int i = 0; i < N; i++) t += b[i][i];
    printf("%.12g\n", t);
    return 0;
}
