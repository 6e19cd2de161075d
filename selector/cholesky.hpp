// SPDX-License-Identifier: Apache-2.0
// Solves small systems of equations. The order of operations, and thus every bit of the result, is the same on every
// machine, which models learned from a record require; the order of a linear algebra library depends on the processor.
#pragma once

#include <cstddef>
#include <vector>

namespace mlmq::selector {

/// Computes L of A = L Lᵀ in place, for a symmetric positive definite A. @param matrix size × size; only the lower
/// triangle is used
void decompose_cholesky(std::vector<double>& matrix, std::size_t size);

/// Solves L Lᵀ x = b, and replaces b by x.
void solve_cholesky(const std::vector<double>& lower, std::size_t size, std::vector<double>& b);

}  // namespace mlmq::selector
