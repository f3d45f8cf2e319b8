// Confidence: the mean of a figure over runs with different seeds, and how far the true one may lie
// from it: 95 % confidence by Student's t, which takes the figure's means for normal.
#pragma once

#include <cstdint>
#include <span>

namespace leasehold {

struct Confidence {
  double mean = 0;
  double half_width = 0;  // mean - half_width to mean + half_width
};

/// Of at least two values.
Confidence confidence_95(std::span<const double> values);
/// Of Student's t with so many degrees of freedom (>= 1): beyond it lie 2.5 % on either side.
double student_t_975(int64_t degrees);

}  // namespace leasehold
