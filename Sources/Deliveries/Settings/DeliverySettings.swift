import Backends
import Foundation
package import Gatefold
package import Protections
package import Settings

/// How a publication delivers what was bought: the section `deliveries`.
package struct DeliverySettings: Sendable {
    private enum Carrier: Sendable {
        case webhook(WebhookSettings)
        case database(SQLChangeSettings)
    }

    package let pace: DeliveryPace
    /// In seconds; what became of an attempt is on record by then.
    private static let recording: TimeInterval = 5
    private let carrier: Carrier
    private let breaker: BreakerSettings?
    private let deadline: TimeInterval

    /// Reads the section to its end.
    package init(_ section: SettingsSection) throws(SettingsError) {
        let kinds = (["webhook"] + SQLChangeSettings.Kind.allCases.map(\.rawValue)).joined(separator: ", ")
        let kind = try section.requiredString("kind", expected: "one of \(kinds)")
        if kind == "webhook" {
            carrier = .webhook(try WebhookSettings(section))
        } else if let database = SQLChangeSettings.Kind(rawValue: kind) {
            carrier = .database(try SQLChangeSettings(database, section, parameters: DeliveryValues.names))
        } else {
            throw section.error("kind", expected: "expected one of \(kinds)")
        }
        var pace = try DeliveryPace(section)
        deadline = try section.duration("deadline", default: 30, in: 1...300)
        pace.lease = deadline + Self.recording
        self.pace = pace
        breaker = try BreakerSettings.read(try section.section("breaker"))
        try section.finish()
    }

    /// Connects to nothing yet.
    ///
    /// - Parameter breakerChanged: told when the other side is left in peace, and when it is asked again.
    /// - Throws: `SharedLibraryError` where a database's library is not installed.
    package func open(
        clock: WallClock, random: RandomSource, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        breakerChanged: @escaping @Sendable (BreakerState.Change) -> Void = { _ in }
    ) throws -> any DeliveryCarrier {
        let opened: any DeliveryCarrier =
            switch carrier {
            case .webhook(let settings): WebhookCarrier(settings, clock: clock)
            case .database(let settings): SQLCarrier(database: try settings.open())
            }
        return ProtectedCarrier(
            carrier: opened,
            breaker: CircuitBreaker(breaker, clock: clock, random: random, didChange: breakerChanged),
            deadline: Deadline(seconds: deadline, sleep: sleep))
    }
}
