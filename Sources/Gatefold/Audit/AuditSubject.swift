import Primitives

/// The subject of an audited action: a person by a pseudonym, or an object by its name.
///
/// A subject never contains an identifier, an e-mail address, a token or a secret. An entry cannot be erased, so a person
/// must not be found in it without the key of the pseudonyms.
///
/// Source: Pitfall 37, “Sensitive data in telemetry”.
package struct AuditSubject: Sendable, Hashable, CustomStringConvertible {
    package static let maxBytes = 200

    /// The kind and the name, such as `subscriber:00112233445566`.
    package let description: String

    private init(_ kind: String, _ name: String) {
        description = AuditText.replacing("\(kind):\(name)", maxBytes: Self.maxBytes)
    }

    package static func subscriber(_ subscriber: SubscriberPseudonym) -> AuditSubject {
        AuditSubject("subscriber", subscriber.description)
    }

    package static func owner(_ owner: PurchaseOwner) -> AuditSubject { AuditSubject("owner", owner.description) }

    /// - Parameter reference: The delivery's reference in logs, which does not reveal the transaction.
    package static func delivery(reference: String) -> AuditSubject { AuditSubject("delivery", reference) }

    package static func backend(_ name: String) -> AuditSubject { AuditSubject("backend", name) }
    package static func campaign(_ name: String) -> AuditSubject { AuditSubject("campaign", name) }
    package static func edition(_ edition: EditionID) -> AuditSubject { AuditSubject("edition", edition.rawValue) }
    package static func node(_ name: String) -> AuditSubject { AuditSubject("node", name) }
    package static func state(_ name: String) -> AuditSubject { AuditSubject("state", name) }

    /// A person whose pseudonym is not known, by a keyed digest of what was entered.
    ///
    /// - Parameter entered: A sign-in identifier, an address or another name of a person. Letter case is ignored.
    package static func identifier(_ entered: String, _ key: PseudonymKey) -> AuditSubject {
        let digest = key.digest("audit identifier", [entered.lowercased()])
        return AuditSubject("identifier", Hexadecimal.encode(Array(digest.prefix(8))))
    }
}
