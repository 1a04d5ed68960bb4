import Primitives

/// The reader whom an event of the timeline concerns, without a name.
package enum TimelineSubject: Sendable, Hashable {
    /// A subscriber that a backend authenticated or found.
    case subscriber(SubscriberPseudonym)
    /// The owner of purchases: a subscriber, an installation or an account. The ledger knows readers by their owners only.
    case owner(PurchaseOwner)
    /// What was typed at a sign-in, if it is not known to whom it belongs.
    case identifier(TypedIdentifier)

    /// The stored form: a byte for the kind, so that two kinds never have the same form, and the pseudonym.
    package var bytes: [UInt8] {
        switch self {
        case .subscriber(let pseudonym): [Self.subscriberPrefix] + pseudonym.bytes
        case .owner(let owner): [Self.ownerPrefix] + owner.bytes
        case .identifier(let identifier): [Self.identifierPrefix] + identifier.bytes
        }
    }

    package init?(bytes: some Collection<UInt8>) {
        let pseudonym = Array(bytes.dropFirst())
        let subject: TimelineSubject? =
            switch bytes.first {
            case Self.subscriberPrefix: SubscriberPseudonym(bytes: pseudonym).map { .subscriber($0) }
            case Self.ownerPrefix: PurchaseOwner(bytes: pseudonym).map { .owner($0) }
            case Self.identifierPrefix: TypedIdentifier(bytes: pseudonym).map { .identifier($0) }
            default: nil
            }
        guard let subject else { return nil }
        self = subject
    }

    private static let subscriberPrefix: UInt8 = 1
    private static let identifierPrefix: UInt8 = 2
    private static let ownerPrefix: UInt8 = 3
}

/// A pseudonym of a sign-in identifier as a reader typed it, folded as in ``CredentialFields/fold(_:)``: 128 bits of a keyed
/// digest. It is the same in all publications.
package typealias TypedIdentifier = Pseudonym<TypedIdentifierKind>

package enum TypedIdentifierKind: PseudonymKind {
    package static let size = 16
}

extension PseudonymKey {
    package func typedIdentifier(_ identifier: String) -> TypedIdentifier {
        pseudonym("timeline identifier", CredentialFields.fold(identifier))
    }
}
