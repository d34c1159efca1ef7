// Stands in for factorize_mumps.cpp where MUMPS isn't installed.
#include "cpu/factorization/cpu_factors.hpp"
#include "quartic/error.hpp"

namespace quartic::cpu {

bool mumps_available() {
  return false;
}

std::unique_ptr<FactorizationImpl> factorize_mumps(const SparseMatrix& /*matrix*/, bool /*updatable*/) {
  throw InputError(
      "this build of quartic has no MUMPS; use FactorizationMethod::eigen or automatic, or install libmumps-seq-dev "
      "and "
      "build again");
}

}  // namespace quartic::cpu
