// SPDX-License-Identifier: Apache-2.0
// Small systems of equations, solved in an order of operations that gives the same bits on every machine, as what is
// learned from a record must have; a linear algebra library's order depends on the processor.
#pragma once

#include <cstddef>
#include <vector>

namespace mlmq::selector {

/// L of A = L Lᵀ for a symmetric positive definite A, in place. @param matrix size × size, of which the lower triangle
/// is used
void decompose_cholesky(std::vector<double>& matrix, std::size_t size);

/// x with L Lᵀ x = b, in place of b.
void solve_cholesky(const std::vector<double>& lower, std::size_t size, std::vector<double>& b);

}  // namespace mlmq::selector
