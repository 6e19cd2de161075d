// SPDX-License-Identifier: Apache-2.0
// The exceptions that carry a message for the user. They pass through the public interface of libmlmq as they are, so
// they are declared there.
#pragma once

#include "library/mlmq/error.hpp"
