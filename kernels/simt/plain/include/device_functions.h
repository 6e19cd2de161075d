// SPDX-License-Identifier: Apache-2.0
// The simulator includes the names of this header before every kernel file.
#pragma once
