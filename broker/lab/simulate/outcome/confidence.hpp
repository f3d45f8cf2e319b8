// Confidence: the mean of a figure over runs with different seeds, and how far the true mean may be
// from it: 95 % confidence by Student's t, which assumes that the figure's means are normal.
#pragma once

#include <cstdint>
#include <span>

namespace leasehold {

struct Confidence {
  double mean = 0;
  double half_width = 0;  // from mean - half_width to mean + half_width
};

/// Contract: there are at least two values.
Confidence confidence_95(std::span<const double> values);
/// Returns the value of Student's t with that many degrees of freedom (>= 1) beyond which 2.5 % lie
/// on either side.
double student_t_975(int64_t degrees);

}  // namespace leasehold
