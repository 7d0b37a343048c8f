// Every kernel: the one unit that a compiler of CUDA takes, and the host's, which includes memory.h before it.
#pragma once

#include "automorphism.h"
#include "pointwise.h"
#include "sums.h"
#include "transform.h"
