import Synchronization

/// Records the requests that a fake server received.
final class RequestRecord: Sendable {
    private let cached = Mutex<[FakeServerRequest]>([])

    var requests: [FakeServerRequest] { cached.withLock(\.self) }

    func add(_ request: FakeServerRequest) { cached.withLock { $0.append(request) } }
}
