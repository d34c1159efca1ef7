// Everything but CUDA types.
#pragma once

#include "quartic/backend.hpp"
#include "quartic/basis.hpp"
#include "quartic/batch.hpp"
#include "quartic/embedding.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/factorization.hpp"
#include "quartic/fem.hpp"
#include "quartic/material.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"
