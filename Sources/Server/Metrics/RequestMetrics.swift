import HTTPTypes
import Metrics
import Synchronization

/// A cache of the metrics of requests. Looking up a metric by its labels for every request costs more than the
/// response.
final class RequestMetrics: Sendable {
    struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    struct Series {
        fileprivate let timer: Timer
        fileprivate let counter: Counter

        func record(_ elapsed: Duration) {
            timer.recordNanoseconds(elapsed.nanoseconds)
            counter.increment()
        }
    }

    private let known = Mutex<[Key: Series]>([:])

    /// Returns the metrics of the requests that share the key.
    func series(_ key: Key) -> Series {
        known.withLock { known in
            if let series = known[key] { return series }
            let series = Series(
                timer: Timer(
                    label: "gatefold_request_duration", dimensions: [("route", key.route), ("method", key.method)]),
                counter: Counter(
                    label: "gatefold_requests_total",
                    dimensions: [("route", key.route), ("status", String(key.status))]))
            known[key] = series
            return series
        }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
