// SPDX-License-Identifier: Apache-2.0
// The stop token of a thread. It is part of the public interface of libmlmq, so its header is installed with it.
#pragma once

#include "base/error.hpp"
#include "base/public/mlmq/stop.hpp"
