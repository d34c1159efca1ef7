#include "cuda/relaxation/relaxation_operations.hpp"

#include "cuda/fem/force_hessian.hpp"
#include "cuda/relaxation/strain_products.hpp"

namespace quartic::cuda {

constinit const RelaxationOperations relaxation_operations = {
    .quadratic_forces = quadratic_forces, .geometric_products = geometric_products, .strain_products = strain_products};

}  // namespace quartic::cuda
