// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Eigenvalues of small symmetric matrices (theory 10).

#ifndef TRXI_FIT_EIGEN_H
#define TRXI_FIT_EIGEN_H

/// A (n x n, both triangles, destroyed) = V diag(values) V^T, values ascending, eigenvectors in the columns of V (n x n).
void trxi_symmetric_eigen(int n, double *A, double *values, double *V);

#endif
