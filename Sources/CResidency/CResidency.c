#define _GNU_SOURCE
#include "CResidency.h"
#include <sys/types.h>
#include <sys/uio.h>

// In no header that Swift imports: preadv2(2), with the flag that it rather fails than waits.
bool cresidency_holds(int descriptor, int64_t offset) {
#ifdef RWF_NOWAIT
    char byte;
    struct iovec place = {&byte, 1};
    return preadv2(descriptor, &place, 1, (off_t)offset, RWF_NOWAIT) == 1;
#else
    (void)descriptor;
    (void)offset;
    return false;
#endif
}

#if defined(__GLIBC__)
#include <malloc.h>

void cresidency_return_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

int64_t cresidency_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

void cresidency_trim(void) { malloc_trim(0); }
#else
void cresidency_return_large_blocks(void) {}

int64_t cresidency_allocated(void) { return 0; }

void cresidency_trim(void) {}
#endif
