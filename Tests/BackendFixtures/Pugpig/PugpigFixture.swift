public import Gatefold
import TestSupport

/// Gatefold in front of Gatefold: the endpoint is a second program with the embedded database behind it.
public struct PugpigFixture: BackendFixture {
    public static let name = "pugpig"
    public static let outages = Outage.allCases

    private let readers: SQLiteFixture
    private let upstream: UpstreamGatefold
    private let proxy: FaultProxy

    public static func run(_ body: (PugpigFixture) async throws -> Void) async throws {
        try await SQLiteFixture.run { readers in
            try await UpstreamGatefold.run(
                backend: readers.settings, publication: "credentials: {identifier: email, proofs: [password]}"
            ) { upstream in
                try await withFaultProxy(to: upstream.port) { proxy in
                    try await body(PugpigFixture(readers: readers, upstream: upstream, proxy: proxy))
                }
            }
        }
    }

    public var settings: String {
        """
        kind: pugpig
        endpoint: "http://127.0.0.1:\(proxy.port)"
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await readers.set(state, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await readers.setPassword(password, of: reader)
    }

    public func fail(_ outage: Outage) async throws {
        switch outage {
        case .stopped:
            try await proxy.set(.reject)
            await upstream.server.stop()
        case .paused: await upstream.server.pause()
        case .error: try await readers.fail(.error)
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        await upstream.server.resume()
        try await upstream.server.start()
        try await proxy.set(.none)
        // The database may not have failed.
        try? await readers.recover()
    }
}
