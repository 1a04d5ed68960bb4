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
}
