import Foundation
import Gatefold
import Primitives
import TestSupport

extension PublicationID {
    static let daily = PublicationID("daily")!
    static let weekly = PublicationID("weekly")!
}

extension EditionID {
    static let first = EditionID("com.example.edition0001")!
    static let second = EditionID("com.example.edition0002")!
    static let third = EditionID("com.example.edition0003")!
}

extension Secret {
    static let one = Secret("kW8xVq2mTz5nRb7LcY3hJd9s")
    static let two = Secret("Zp4gQe6vXu1wNa8KfM5tHy2r")
}

extension Date {
    /// Returns the date this number of seconds after the start of a ``ManualClock``.
    static func after(_ seconds: TimeInterval) -> Date { ManualClock().now.addingTimeInterval(seconds) }
}

extension Session {
    static func sample(
        _ key: String = "reader-1", in publication: PublicationID = .daily, device: DevicePseudonym? = nil,
        upstream: String? = nil, issuedAt: Date = .after(0), expiresAt: Date = .after(3600)
    ) -> Session {
        Session(
            publication: publication, subscriber: Subscriber(backend: "db", key: key, upstreamSession: upstream),
            device: device, reference: SessionPseudonym(bytes: [1, 2, 3, 4])!, issuedAt: issuedAt, expiresAt: expiresAt)
    }
}
