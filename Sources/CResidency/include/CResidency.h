#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether the byte of a file is in the system's memory, so that reading it waits for no disk. False where the system can not say.
bool cresidency_holds(int descriptor, int64_t offset);

/// Has large blocks given back to the system as soon as they are freed, from 256 KB on, also after larger ones were in use: by
/// itself the C library raises that limit to 32 MB. Call it before anything large is allocated. Does nothing where the C
/// library has no such setting.
void cresidency_return_large_blocks(void);

/// The bytes that the program has allocated and not freed; 0 where the C library can not say.
int64_t cresidency_allocated(void);

/// Gives freed memory back to the system, as far as it can be.
void cresidency_trim(void);
