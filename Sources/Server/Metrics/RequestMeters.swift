import HTTPTypes
import Metrics
import Synchronization

/// The meters of requests, each made once: to look one up by its labels for every request costs more than the answer.
final class RequestMeters: Sendable {
    struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    struct Meters {
        fileprivate let timer: Timer
        fileprivate let counter: Counter

        func record(_ elapsed: Duration) {
            timer.recordNanoseconds(elapsed.nanoseconds)
            counter.increment()
        }
    }

    private let known = Mutex<[Key: Meters]>([:])

    /// Those of requests that agree in these.
    func meters(_ key: Key) -> Meters {
        known.withLock { known in
            if let meters = known[key] { return meters }
            let meters = Meters(
                timer: Timer(
                    label: "gatefold_request_duration", dimensions: [("route", key.route), ("method", key.method)]),
                counter: Counter(
                    label: "gatefold_requests_total",
                    dimensions: [("route", key.route), ("status", String(key.status))]))
            known[key] = meters
            return meters
        }
    }
}
