public import Gatefold
import TestSupport

/// Gatefold in front of Gatefold: a second program, with the embedded database behind it, is the endpoint that is asked.
public struct PugpigBench: BackendBench {
    public static let name = "pugpig"
    public static let outages = Outage.allCases

    private let readers: SQLiteBench
    private let upstream: UpstreamGatefold
    private let proxy: FaultProxy

    public static func run(_ body: (PugpigBench) async throws -> Void) async throws {
        try await SQLiteBench.run { readers in
            try await UpstreamGatefold.run(
                backend: readers.settings, publication: "credentials: {identifier: email, proofs: [password]}"
            ) { upstream in
                try await withFaultProxy(to: upstream.port) { proxy in
                    try await body(PugpigBench(readers: readers, upstream: upstream, proxy: proxy))
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
            try await proxy.set(.refuse)
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
        // The database may have been well.
        try? await readers.recover()
    }
}
