import Commerce
import FrontDoors
import Gatefold
import Logging
import TestSupport
import Testing

@testable import Server

@Suite("Event reporter")
struct EventReporterTests {
    private let lines = Locked<[String]>([])

    private var logger: Logger {
        Logger(label: "test") { _ in
            LineLogHandler(label: "test", level: .info, format: .text) { line in lines.withLock { $0.append(line) } }
        }
    }

    @Test("Logs a line with the publication and the fields that have a value")
    func fields() throws {
        let reporter = EventReporter(publication: PublicationID("news"), logger: logger)
        let store = try #require(StoreName("apple"))
        reporter.report(PurchaseEvent.rejected(store, ReceiptRejection(.expired)))
        let line = try #require(lines.withLock(\.first))
        for part in ["Receipt rejected", "news", "apple", "expired"] { #expect(line.contains(part), "\(line)") }
        #expect(!line.contains("code"))
    }

    @Test("Logs a line below the logger's level never, and one that is logged once for each value once")
    func once() throws {
        let reporter = EventReporter(publication: PublicationID("news"), logger: logger)
        let subscriber = try #require(SubscriberPseudonym(bytes: Array(repeating: 1, count: SubscriberPseudonym.size)))
        let edition = try #require(EditionID("com.example.news.1"))
        reporter.report(AuthorizationEvent.verified(subscriber, .active))
        reporter.report(AuthorizationEvent.credentialsIssued(subscriber, edition))
        for app in ["a", "b", "a"] { reporter.report(StorefrontEvent.pushToken(app: app, .truncated)) }
        reporter.report(StorefrontEvent.pushToken(app: "c", .registered))
        #expect(lines.withLock(\.count) == 2)
    }

    @Test("The number of a frequent event names exactly one counter")
    func numbers() throws {
        let subscriber = try #require(SubscriberPseudonym(bytes: Array(repeating: 1, count: SubscriberPseudonym.size)))
        let edition = try #require(EditionID("com.example.news.1"))
        let events: [AuthorizationEvent] =
            SubscriptionState.allCases.map { .verified(subscriber, $0) } + [.credentialsIssued(subscriber, edition)]
            + CredentialsRejection.Reason.allCases.map { .credentialsRejected($0) } + [.credentialsRejected(nil)]
        var counters: [Int: MetricSeries] = [:]
        for event in events {
            let counter = try #require(event.frequentCounter)
            #expect(counter.level == event.report.line?.level)
            #expect(counters[counter.number] == nil)
            counters[counter.number] = event.report.metric?.series
        }
        #expect(Set(counters.values).count == events.count)
    }
}
