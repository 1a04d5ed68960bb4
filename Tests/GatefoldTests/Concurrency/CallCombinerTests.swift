import Primitives
import TestSupport
import Testing

@Suite("Combined calls") struct CallCombinerTests {
    private struct OddError: Error {}

    @Test("Items that arrive during a call are in the next one, in their order", .timeLimit(.minutes(5)))
    func combined() async throws {
        let calls = Locked<[[Int]]>([])
        let latch = ManualLatch()
        let combiner = CallCombiner<Int, String>(maxItems: 3) { items in
            calls.withLock { $0.append(items) }
            await latch.pass()
            return items.map(String.init)
        }
        let first = Task { try await combiner.result(for: 0) }
        await until { latch.waiting == 1 }
        let others = (1...4).map { item in Task { try await combiner.result(for: item) } }
        // All of them wait, because none has begun a call.
        for _ in 0..<100 { await Task.yield() }
        #expect(calls.withLock { $0 } == [[0]])
        latch.open()
        #expect(try await first.value == "0")
        for (item, other) in zip(1...4, others) { #expect(try await other.value == String(item)) }
        #expect(calls.withLock { $0.map(\.count).max() } ?? 0 <= 3)
        #expect(calls.withLock { $0.flatMap(\.self).sorted() } == [0, 1, 2, 3, 4])
    }

    @Test("A call for one item follows at once, and an error reaches every caller of its call")
    func failures() async throws {
        let combiner = CallCombiner<Int, Int>(maxItems: 10) { items in
            if items.contains(where: { !$0.isMultiple(of: 2) }) { throw OddError() }
            return items
        }
        for item in [0, 2, 4] { #expect(try await combiner.result(for: item) == item) }
        for item in [1, 3] { await #expect(throws: OddError.self) { try await combiner.result(for: item) } }
        #expect(try await combiner.result(for: 6) == 6)
    }

    @Test("Every caller gets the result for its own item")
    func many() async throws {
        let combiner = CallCombiner<Int, Int>(maxItems: 7) { items in
            await Task.yield()
            return items.map { $0 * 2 }
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for item in 0..<500 { group.addTask { try await combiner.result(for: item) == item * 2 } }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
