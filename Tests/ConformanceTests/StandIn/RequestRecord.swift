import Synchronization

/// The requests that a stand-in was sent.
final class RequestRecord: Sendable {
    private let kept = Mutex<[StandInRequest]>([])

    var requests: [StandInRequest] { kept.withLock(\.self) }

    func add(_ request: StandInRequest) { kept.withLock { $0.append(request) } }
}
