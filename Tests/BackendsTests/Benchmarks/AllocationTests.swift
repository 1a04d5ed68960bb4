import Foundation
import NIOPosix
import TestSupport
import Testing

@testable import Benchmarks

@Suite("Memory allocations of the decisions for most requests")
struct AllocationTests {
    /// The numbers may fall and must not rise. They hold for optimised programs, as users run them.
    @Test(
        "One decision allocates no more than stated", .enabled(if: isOptimised, "counts are of optimised programs"),
        arguments: [
            ("verification from the cache", 11), ("credentials from the cache", 35),
            ("gate, right password, cached", 13), ("gate, open path", 7),
        ])
    func allocations(of decision: String, limit: Int) async throws {
        try await withTemporaryFolder { folder in
            let all = try await MicrobenchmarkFixture.all(folder)
            let microbenchmark = try #require(all.first { $0.name == decision })
            // On a thread without a task, as on an event loop. A task would pass its values on to the tasks it starts.
            let counted = try await NIOThreadPool.singleton.runIfActive { try microbenchmark.allocations() }
            let count = try #require(counted)
            #expect((1...limit).contains(count), "\(decision): \(count)")
        }
    }

    private static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}
