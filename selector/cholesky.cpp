// SPDX-License-Identifier: Apache-2.0
#include "selector/cholesky.hpp"

#include <cmath>

namespace mlmq::selector {

void decompose_cholesky(std::vector<double>& matrix, std::size_t size) {
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double remainder = matrix[row * size + column];
      for (std::size_t k = 0; k < column; ++k) remainder -= matrix[row * size + k] * matrix[column * size + k];
      matrix[row * size + column] = row == column ? std::sqrt(remainder) : remainder / matrix[column * size + column];
    }
  }
}

void solve_cholesky(const std::vector<double>& lower, std::size_t size, std::vector<double>& b) {
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t k = 0; k < row; ++k) b[row] -= lower[row * size + k] * b[k];
    b[row] /= lower[row * size + row];
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t k = row + 1; k < size; ++k) b[row] -= lower[k * size + row] * b[k];
    b[row] /= lower[row * size + row];
  }
}

}  // namespace mlmq::selector
