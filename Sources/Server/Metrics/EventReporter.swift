import Gatefold
import Logging
import Metrics
import Synchronization

/// The reporter that renders events as metrics and log lines.
final class EventReporter: Sendable {
    private let publication: PublicationID?
    private let logger: Logger?
    /// The counters in use by their labels.
    private let counters = Mutex<[MetricSeries: Counter]>([:])
    /// The counters in use by number. Looking up a counter by its labels costs more than a verification.
    private let frequentCounters = Mutex<[FrequentKey: Counter]>([:])
    /// The lines that are logged only once, each with its message and its value.
    private let logged = Mutex<Set<[String]>>([])

    /// - Parameters:
    ///   - publication: The publication of the events, as the first label and as a field, or `nil` if each event
    ///     names its own.
    ///   - logger: The logger, or `nil` for the logger of the request.
    init(publication: PublicationID? = nil, logger: Logger? = nil) {
        self.publication = publication
        self.logger = logger
    }

    func report<Event: ReportableEvent>(_ event: Event) {
        if let frequent = event.frequentCounter, !isLogged(frequent.level) {
            return count(event, FrequentKey(ObjectIdentifier(Event.self), frequent))
        }
        let report = event.report
        if let (series, change) = report.metric { record(change, in: series) }
        if let line = report.line { log(line) }
    }

    private struct FrequentKey: Hashable {
        let event: ObjectIdentifier
        let number: Int
        let publication: PublicationID?

        init(_ event: ObjectIdentifier, _ counter: FrequentCounter) {
            self.event = event
            number = counter.number
            publication = counter.publication
        }
    }

    private func count(_ event: some ReportableEvent, _ key: FrequentKey) {
        if let counter = frequentCounters.withLock({ $0[key] }) { return counter.increment() }
        guard let series = event.report.metric?.series else { return }
        let counter = counter(series)
        frequentCounters.withLock { $0[key] = counter }
        counter.increment()
    }

    private func isLogged(_ level: EventReport.Level?) -> Bool {
        guard let level = level.flatMap({ Logger.Level(rawValue: $0.rawValue) }) else { return false }
        return (logger ?? CurrentRequest.logger).logLevel <= level
    }

    private func record(_ change: EventReport.Change, in series: MetricSeries) {
        switch change {
        case .count(let count): counter(series).increment(by: count)
        case .gauge(let value): Gauge(label: series.name, dimensions: dimensions(series)).record(value)
        case .time(let time): Metrics.Timer(label: series.name, dimensions: dimensions(series)).record(duration: time)
        }
    }

    private func counter(_ series: MetricSeries) -> Counter {
        counters.withLock { counters in
            if let counter = counters[series] { return counter }
            let counter = Counter(label: series.name, dimensions: dimensions(series))
            counters[series] = counter
            return counter
        }
    }

    private func dimensions(_ series: MetricSeries) -> [(String, String)] {
        (publication.map { [("publication", $0.rawValue)] } ?? []) + series.labels.map { ($0.key, $0.value) }
    }

    private func log(_ line: EventReport.Line) {
        let logger = logger ?? CurrentRequest.logger
        guard let level = Logger.Level(rawValue: line.level.rawValue), logger.logLevel <= level else { return }
        if let once = line.once, !logged.withLock({ $0.insert([line.message, once]).inserted }) { return }
        var metadata: Logger.Metadata = [:]
        if let publication { metadata["publication"] = "\(publication)" }
        for case (let name, let value?) in line.fields() { metadata[name] = "\(value)" }
        logger.log(level: level, "\(line.message)", metadata: metadata)
    }
}
