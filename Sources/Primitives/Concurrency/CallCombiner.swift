import Synchronization

/// Combines calls that arrive while another one is in progress into the next one.
///
/// A single call runs at once. Under load, a call costs its items little more than one item alone, such as a transaction with
/// many rows.
package final class CallCombiner<Item: Sendable, Result: Sendable>: Sendable {
    private struct Waiting {
        let item: Item
        let continuation: CheckedContinuation<Result, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isCalling = false
    }

    private let maxItems: Int
    private let call: @Sendable ([Item]) async throws -> [Result]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maxItems: The maximum number of items in one call.
    ///   - call: Returns a result for each item, in their order. An error is thrown to all callers of its items.
    package init(maxItems: Int, _ call: @escaping @Sendable ([Item]) async throws -> [Result]) {
        self.maxItems = maxItems
        self.call = call
    }

    /// Returns the result for an item. The cancellation of the caller does not end the call, which others share.
    package func result(for item: Item) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Waiting(item: item, continuation: continuation))
                defer { state.isCalling = true }
                return !state.isCalling
            }
            // An unstructured task, because the call serves callers that come later.
            if begins { Task { await callForAll() } }
        }
    }

    private func callForAll() async {
        while let batch = next() {
            do {
                let results = try await call(batch.map(\.item))
                // A caller without a result would wait forever.
                precondition(results.count == batch.count, "expected a result for each item")
                for (waiting, result) in zip(batch, results) { waiting.continuation.resume(returning: result) }
            } catch {
                for waiting in batch { waiting.continuation.resume(throwing: error) }
            }
        }
    }

    private func next() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isCalling = false
                return nil
            }
            let batch = Array(state.waiting.prefix(maxItems))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
