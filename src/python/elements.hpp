// Element types by name.
#pragma once

#include "python/choices.hpp"
#include "python/shared.hpp"

namespace quartic::python {

inline constexpr Choice<ElementType, element_type_count> element_types{{{"tet4", ElementType::tet4},
                                                                        {"tet10", ElementType::tet10},
                                                                        {"hex8", ElementType::hex8},
                                                                        {"hex20", ElementType::hex20},
                                                                        {"wedge6", ElementType::wedge6},
                                                                        {"wedge15", ElementType::wedge15},
                                                                        {"pyramid5", ElementType::pyramid5}}};

}  // namespace quartic::python
