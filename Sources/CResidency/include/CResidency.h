#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether the byte of a file is in the system's memory, so that reading it waits for no disk. False where the system can not say.
bool cresidency_holds(int descriptor, int64_t offset);
