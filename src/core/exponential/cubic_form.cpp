#include "core/exponential/cubic_form.hpp"

#include <cstddef>

#include "core/energy/quartic_polynomial.hpp"

namespace quartic {

template <class T>
CubicForm<T>::CubicForm(const QuarticEnergy& energy, int first, int count) : rank(energy.rank), rows(count) {
  values = AlignedArray<T>(std::int64_t{blocks()} * block * monomials());
  const auto r = static_cast<std::size_t>(rank);
  for (int row = 0; row < rows; ++row) {
    T* at = values.data() + row / block * block * monomials() + row % block;
    const auto i = static_cast<std::size_t>(first + row) + 1;
    const auto append = [&](double value) {
      *at = rounded_coefficient<T>(value);
      at += block;
    };
    for (std::size_t b = 1; b <= r; ++b)
      for (std::size_t c = b; c <= r; ++c) append(coefficient(energy, 0, i, b, c) * (b == c ? 0.5 : 1));
    for (std::size_t b = 1; b <= r; ++b)
      for (std::size_t c = b; c <= r; ++c)
        for (std::size_t d = c; d <= r; ++d)
          append(coefficient(energy, i, b, c, d) * (b == d ? 1.0 / 6 : b == c || c == d ? 0.5 : 1));
  }
}

template struct CubicForm<float>;
template struct CubicForm<double>;

}  // namespace quartic
