#pragma once
#include <stddef.h>

// Support of the simulation of several nodes that Swift cannot express: Swift's jobs on one thread, and coroutines.

/// Receives a job that is ready to run.
typedef void (*SimulationEnqueue)(void *_Nonnull context, void *_Nonnull job);

/// Sends the jobs that this thread makes ready to a function, instead of to Swift's global executor. From the first call
/// on, the order of sets and dictionaries is the same in each run within the process.
///
/// Other threads are not affected. A job that became ready on another thread before is not affected either.
void simulation_begin(void *_Nonnull context, SimulationEnqueue _Nonnull enqueue);

/// Ends the effect of simulation_begin on this thread.
void simulation_end(void);

/// Runs a job until its next suspension.
void simulation_run(void *_Nonnull job);

/// A call with a stack of its own, which can be suspended in the middle of synchronous code.
typedef struct SimulationCoroutine SimulationCoroutine;

/// Creates a coroutine that calls a function once it is resumed.
SimulationCoroutine *_Nonnull simulation_coroutine_create(
    void *_Nonnull context, void (*_Nonnull body)(void *_Nonnull context));

/// Continues a coroutine until it suspends itself or ends. A coroutine that has ended is freed.
void simulation_coroutine_resume(SimulationCoroutine *_Nonnull coroutine);

/// Suspends the coroutine that runs on this thread.
void simulation_coroutine_suspend(void);
