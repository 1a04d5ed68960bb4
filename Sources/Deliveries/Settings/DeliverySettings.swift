package import Commerce
import Foundation
package import Primitives
package import Resilience
import SQLAccess
package import Settings

/// The section `deliveries`: the delivery of purchases to a publication's provider.
package struct DeliverySettings: Sendable {
    private enum Transport: Sendable {
        case webhook(WebhookSettings)
        case database(SQLCommandSettings)
    }

    package let retryPolicy: DeliveryRetryPolicy
    /// The time in seconds within which the outcome of an attempt is recorded.
    private static let recording: TimeInterval = 5
    private let transport: Transport
    private let breaker: BreakerSettings?
    private let deadline: TimeInterval

    /// Reads the section and rejects unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        let kinds = (["webhook"] + SQLCommandSettings.Kind.allCases.map(\.rawValue)).joined(separator: ", ")
        let kind = try section.requiredString("kind", expected: "one of \(kinds)")
        if kind == "webhook" {
            transport = .webhook(try WebhookSettings(section))
        } else if let database = SQLCommandSettings.Kind(rawValue: kind) {
            transport = .database(try SQLCommandSettings(database, section, parameters: DeliveryValues.names))
        } else {
            throw section.error("kind", expected: "expected one of \(kinds)")
        }
        var retryPolicy = try DeliveryRetryPolicy(section)
        deadline = try section.duration("deadline", default: 30, in: 1...300)
        retryPolicy.lease = deadline + Self.recording
        self.retryPolicy = retryPolicy
        breaker = try BreakerSettings.read(try section.section("breaker"))
        try section.finish()
    }

    /// Creates the carrier. Connects to nothing yet.
    ///
    /// - Parameter breakerChanged: Receives each change of the circuit breaker, when it pauses or resumes calls.
    /// - Throws: `SharedLibraryError` if a database's library is not installed.
    package func open(
        clock: WallClock, random: RandomSource, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        breakerChanged: @escaping @Sendable (BreakerState.Change) -> Void = { _ in }
    ) throws -> any DeliveryTransport {
        let opened: any DeliveryTransport =
            switch transport {
            case .webhook(let settings): WebhookDeliveryTransport(settings, clock: clock)
            case .database(let settings): SQLDeliveryTransport(database: try settings.open())
            }
        return ProtectedDeliveryTransport(
            transport: opened,
            breaker: CircuitBreaker(breaker, clock: clock, random: random, didChange: breakerChanged),
            deadline: Deadline(seconds: deadline, sleep: sleep))
    }
}
