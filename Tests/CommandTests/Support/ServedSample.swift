import Foundation
import TestSupport
import Testing

/// Serves a ``Sample`` around a suite, with one start for all its tests.
struct ServedSample: SuiteTrait, TestScoping {
    let configuration: @Sendable (String) -> String

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let sample = try await Sample(in: folder, configuration: configuration)
            try await withServer(sample.launch) { server in
                try await Sample.$served.withValue((sample, server)) { try await function() }
            }
        }
    }
}

extension Trait where Self == ServedSample {
    /// - Parameter configuration: Changes the sample's configuration.
    static func servedSample(_ configuration: @escaping @Sendable (String) -> String = { $0 }) -> ServedSample {
        ServedSample(configuration: configuration)
    }
}

/// Runs the body in a new sample without a server.
func withSample(
    configuration: (String) -> String = { $0 }, _ body: (Sample) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        try await body(try await Sample(in: folder, configuration: configuration))
    }
}
