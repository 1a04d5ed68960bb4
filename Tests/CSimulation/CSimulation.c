#include "CSimulation.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SWIFT_CALL __attribute__((swiftcall))

// Hooks and entry points of the runtime library (swift/Runtime/Concurrency.h).
typedef SWIFT_CALL void (*EnqueueOriginal)(void *job);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, EnqueueOriginal original);
typedef struct {
    void *identity;
    void *implementation;
} SerialExecutor;
extern SWIFT_CALL void swift_job_run(void *job, SerialExecutor executor);

static _Thread_local void *current_context;
static _Thread_local SimulationEnqueue current_enqueue;

static SWIFT_CALL void enqueue(void *job, EnqueueOriginal original) {
    if (current_enqueue) {
        current_enqueue(current_context, job);
    } else {
        original(job);
    }
}

// Parameters of Swift's hash function (SwiftShims/GlobalObjects.h).
extern struct {
    uint64_t seed0;
    uint64_t seed1;
    bool deterministic;
} _swift_stdlib_Hashing_parameters;

static void install(void) {
    swift_task_enqueueGlobal_hook = enqueue;
    // Sets and dictionaries that are created from now on have the same order whatever their addresses. The seeds stay,
    // because existing ones depend on them.
    _swift_stdlib_Hashing_parameters.deterministic = true;
}

void simulation_begin(void *context, SimulationEnqueue enqueue) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    current_context = context;
    current_enqueue = enqueue;
}

void simulation_end(void) { current_enqueue = NULL; }

void simulation_run(void *job) { swift_job_run(job, (SerialExecutor){NULL, NULL}); }

// Coroutines

enum { STACK_SIZE = 1 << 19, MAX_FREE = 64 };

struct SimulationCoroutine {
    ucontext_t own;
    ucontext_t caller;
    void *context;
    void (*body)(void *context);
    void *stack;
    int has_ended;
    SimulationCoroutine *next;
};

static _Thread_local SimulationCoroutine *running;
static _Thread_local SimulationCoroutine *free_list;
static _Thread_local int free_count;

static void entry(void) {
    SimulationCoroutine *coroutine = running;
    coroutine->body(coroutine->context);
    coroutine->has_ended = 1;
}

SimulationCoroutine *simulation_coroutine_create(void *context, void (*body)(void *context)) {
    SimulationCoroutine *coroutine = free_list;
    if (coroutine) {
        free_list = coroutine->next;
        free_count--;
    } else {
        coroutine = calloc(1, sizeof *coroutine);
        if (!coroutine) abort();
        coroutine->stack = mmap(
            NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (coroutine->stack == MAP_FAILED) abort();
    }
    coroutine->context = context;
    coroutine->body = body;
    coroutine->has_ended = 0;
    getcontext(&coroutine->own);
    coroutine->own.uc_stack.ss_sp = coroutine->stack;
    coroutine->own.uc_stack.ss_size = STACK_SIZE;
    coroutine->own.uc_link = &coroutine->caller;
    makecontext(&coroutine->own, entry, 0);
    return coroutine;
}

void simulation_coroutine_resume(SimulationCoroutine *coroutine) {
    SimulationCoroutine *outer = running;
    running = coroutine;
    swapcontext(&coroutine->caller, &coroutine->own);
    running = outer;
    if (!coroutine->has_ended) return;
    if (free_count < MAX_FREE) {
        coroutine->next = free_list;
        free_list = coroutine;
        free_count++;
    } else {
        munmap(coroutine->stack, STACK_SIZE);
        free(coroutine);
    }
}

void simulation_coroutine_suspend(void) {
    SimulationCoroutine *coroutine = running;
    swapcontext(&coroutine->own, &coroutine->caller);
}
