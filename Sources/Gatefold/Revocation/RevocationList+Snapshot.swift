import Foundation
import Primitives

extension RevocationList {
    /// A value that differs after every change that ends further sessions or discards revocations.
    package struct Version: Hashable, Sendable {
        fileprivate let order: Int
        fileprivate let floor: Date
        fileprivate let prunedUntil: Date
    }

    package var version: Version { Version(order: order, floor: floor, prunedUntil: prunedUntil) }

    /// Passes the revocations to the closure, a part of the list at a time.
    package func forEachPart<Failure>(_ body: ([UnsequencedRevocation]) throws(Failure) -> Void) throws(Failure) {
        for part in parts { try body(part.records(in: publication)) }
    }
}
