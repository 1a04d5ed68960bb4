import Foundation
public import Metrics
import Synchronization

/// A registry of the metrics from swift-metrics, which exports them in the Prometheus text format (version 0.0.4).
public final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let kind: String
        var series: [String: Series] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    public init() {}

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "counter", dimensions)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, aggregate ? "summary" : "gauge", dimensions)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label + "_seconds", "histogram", dimensions)
    }

    // Series live as long as the process. Their number is bounded by the labels that the code can produce.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns all metrics, with families and series in alphabetical order.
    public func exposition() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text += series.exposition(name: name, kind: family.kind, labels: labels)
            }
        }
        return text
    }

    private func series(_ label: String, _ kind: String, _ dimensions: [(String, String)]) -> Series {
        let name = Self.metricName(label)
        let labels = dimensions.map { "\(Self.metricName($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return families.withLock { families in
            if let series = families[name]?.series[labels] { return series }
            let series = Series()
            families[name, default: Family(kind: kind)].series[labels] = series
            return series
        }
    }

    static func metricName(_ label: String) -> String {
        String(
            label.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
                default: "_"
                }
            })
    }

    static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// A series: a count, a sum, a last value and the buckets of a histogram.
private final class Series: CounterHandler, RecorderHandler, TimerHandler {
    /// The upper bounds of the buckets, in seconds.
    static let bounds: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct Value {
        var total: Int64 = 0
        var count: Int64 = 0
        var sum = 0.0
        var last = 0.0
        var buckets = [Int64](repeating: 0, count: Series.bounds.count)
    }

    private let value = Mutex(Value())

    func increment(by amount: Int64) { value.withLock { $0.total &+= amount } }
    func reset() { value.withLock { $0 = Value() } }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ number: Double) {
        value.withLock {
            $0.count += 1
            $0.sum += number
            $0.last = number
        }
    }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1_000_000_000
        value.withLock { value in
            value.count += 1
            value.sum += seconds
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { value.buckets[index] += 1 }
        }
    }

    func exposition(name: String, kind: String, labels: String) -> String {
        let value = value.withLock { $0 }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        switch kind {
        case "counter": return "\(name)\(braces) \(value.total)\n"
        case "gauge": return "\(name)\(braces) \(value.last)\n"
        case "summary": return "\(name)_sum\(braces) \(value.sum)\n\(name)_count\(braces) \(value.count)\n"
        default:
            let lead = labels.isEmpty ? "" : labels + ","
            let buckets = zip(Self.bounds, value.buckets).map { "\(name)_bucket{\(lead)le=\"\($0)\"} \($1)\n" }
            return buckets.joined() + "\(name)_bucket{\(lead)le=\"+Inf\"} \(value.count)\n"
                + "\(name)_sum\(braces) \(value.sum)\n\(name)_count\(braces) \(value.count)\n"
        }
    }
}
