import Foundation

/// Runs blocking work on a thread of its own. Work that blocks a thread of the concurrency pool until a test interrupts it
/// can keep the test from running: the pool has no more threads than the machine has cores.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
