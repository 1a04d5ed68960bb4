import BackendFixtures
import TestSupport
import Testing

/// A trait of a suite whose tests need the servers. Suites that run at the same time share them.
struct StateServersTrait: SuiteTrait, TestScoping {
    /// A Boolean value that indicates whether tests use other servers. `deploy/test --fast` disables it.
    static let isEnabled = StateServers.isEnabled

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard Self.isEnabled else { return try await function() }
        try await StateServers.withShared(function)
    }
}

extension Trait where Self == StateServersTrait {
    static var stateServers: Self { StateServersTrait() }
}
