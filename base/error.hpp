// SPDX-License-Identifier: Apache-2.0
// The exceptions that carry a message for the user. They pass unchanged through the public interface of libmlmq, so
// their header is installed with it.
#pragma once

#include "base/public/mlmq/error.hpp"
