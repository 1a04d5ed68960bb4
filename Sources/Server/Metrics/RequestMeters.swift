import HTTPTypes
import Metrics
import Synchronization

/// The meters of requests, each made once: to look one up by its labels for every request costs more than the answer.
final class RequestMeters: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Meters {
        let timer: Timer
        let counter: Counter
    }

    private let known = Mutex<[Key: Meters]>([:])

    func record(_ entry: AccessLog.Entry, method: String) {
        let meters = meters(Key(route: entry.route, method: method, status: entry.status.code))
        meters.timer.recordNanoseconds(entry.elapsed.nanoseconds)
        meters.counter.increment()
    }

    private func meters(_ key: Key) -> Meters {
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
