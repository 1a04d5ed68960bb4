#pragma once
#include <stdint.h>

/// The number of memory allocations that the calling thread has made in this program; -1 where they are
/// not counted.
///
/// A program that links this library allocates through functions that count, and that call those of the C library.
int64_t callocations_of_this_thread(void);
