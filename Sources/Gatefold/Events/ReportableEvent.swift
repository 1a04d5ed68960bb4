/// An event that operators see as a metric, as a log line, or as both.
///
/// Each feature declares what its events report, and one reporter of the server renders all of them.
package protocol ReportableEvent: Sendable {
    /// The metric and the log line. Neither contains a credential, a token or the name of a reader.
    var report: EventReport { get }

    /// The counter of an event that most requests report, or `nil` for other events. Default: `nil`.
    ///
    /// A reporter finds such a counter without the ``report``, whose labels cost more than the event.
    var frequentCounter: FrequentCounter? { get }
}

extension ReportableEvent {
    package var frequentCounter: FrequentCounter? { nil }
}

/// A counter that frequent events increase by 1.
package struct FrequentCounter: Sendable {
    /// The number of the counter. Events of one type with the same number and publication have the same metric and
    /// labels.
    package let number: Int
    /// The publication, if the event names one.
    package let publication: PublicationID?
    /// The level of the event's log line, or `nil` if the event is only counted.
    package let level: EventReport.Level?

    package init(_ number: Int, of publication: PublicationID? = nil, level: EventReport.Level? = nil) {
        self.number = number
        self.publication = publication
        self.level = level
    }
}

/// The metric that an event changes, and the line that it logs.
///
///     .counter("gatefold_sign_ins_total", ["result": "signed_in"]).log(.info, "Signed in", ["subscriber": subscriber])
package struct EventReport: Sendable {
    package typealias Labels = KeyValuePairs<String, String>
    /// The fields of a log line. A field without a value is omitted.
    package typealias Fields = KeyValuePairs<String, (any CustomStringConvertible)?>

    package enum Change: Sendable {
        case count(Int)
        case gauge(Int)
        case time(Duration)
    }

    /// The names of the levels in swift-log.
    package enum Level: String, Sendable {
        case debug, info, notice, warning, error
    }

    package struct Line: Sendable {
        package let level: Level
        package let message: String
        /// The value for which a reporter logs the message at most once, or `nil` to log it each time.
        package let once: String?
        /// Returns the fields. Called only if the line is logged.
        package let fields: @Sendable () -> Fields
    }

    package private(set) var metric: (series: MetricSeries, change: Change)?
    package private(set) var line: Line?

    private init() {}

    private init(_ name: String, _ labels: Labels, _ change: Change) {
        metric = (MetricSeries(name: name, labels: labels), change)
    }

    package static func counter(_ name: String, _ labels: Labels = [:], by count: Int = 1) -> EventReport {
        EventReport(name, labels, .count(count))
    }

    package static func gauge(_ name: String, _ labels: Labels = [:], _ value: Int) -> EventReport {
        EventReport(name, labels, .gauge(value))
    }

    package static func timer(_ name: String, _ labels: Labels, _ duration: Duration) -> EventReport {
        EventReport(name, labels, .time(duration))
    }

    /// The report of an event that another event has reported.
    package static var none: EventReport { EventReport() }

    /// The report of an event that is only logged.
    package static func line(
        _ level: Level, _ message: String, _ fields: @autoclosure @escaping @Sendable () -> Fields = [:]
    ) -> EventReport {
        EventReport().log(level, message, fields())
    }

    /// Returns the report with a log line.
    package func log(
        _ level: Level, _ message: String, _ fields: @autoclosure @escaping @Sendable () -> Fields = [:],
        once: String? = nil
    ) -> EventReport {
        var report = self
        report.line = Line(level: level, message: message, once: once, fields: fields)
        return report
    }
}

/// The name of a metric, and its labels in their order.
package struct MetricSeries: Sendable, Hashable {
    package let name: String
    package let labels: EventReport.Labels

    package static func == (left: MetricSeries, right: MetricSeries) -> Bool {
        left.name == right.name && left.labels.elementsEqual(right.labels, by: ==)
    }

    /// Hashes only the values of the labels, because a lookup happens for each response and the values alone
    /// distinguish nearly all series.
    package func hash(into hasher: inout Hasher) {
        for label in labels { hasher.combine(label.value) }
    }
}
