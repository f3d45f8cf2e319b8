#include "broker/lab/simulate/outcome/confidence.hpp"

#include <array>
#include <cmath>

#include "common/check.hpp"

namespace leasehold {

double student_t_975(int64_t degrees) {
  constexpr std::array kTable{12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912,
                              2.364624,  2.306004, 2.262157, 2.228139, 2.200985, 2.178813,
                              2.160369,  2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
                              2.093024,  2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
                              2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
  LEASEHOLD_CHECK(degrees >= 1, "a confidence interval needs two values");
  if (degrees <= static_cast<int64_t>(kTable.size())) {
    return kTable[static_cast<size_t>(degrees - 1)];
  }
  // Fisher's expansion about the normal distribution is right to five decimals beyond the table.
  constexpr double z = 1.959963985;
  const auto n = static_cast<double>(degrees);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

Confidence confidence_95(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Confidence found;
  for (const double value : values) found.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  const double deviation = std::sqrt(squares / (n - 1));
  found.half_width =
      student_t_975(static_cast<int64_t>(values.size()) - 1) * deviation / std::sqrt(n);
  return found;
}

}  // namespace leasehold
