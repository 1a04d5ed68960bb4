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

    /// Parses the subject of a person or a purchase, as entries have it; nil for another text.
    package init?(person text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, ["subscriber", "owner", "identifier", "delivery"].contains(parts[0]),
            (1...64).contains(parts[1].utf8.count), parts[1].allSatisfy({ $0.isHexDigit && !$0.isUppercase })
        else { return nil }
        self.init(parts[0], parts[1])
    }

    /// Creates a subject from the keyed digest of a text.
    private init(_ kind: String, _ key: PseudonymKey, _ purpose: String, _ text: String) {
        self.init(kind, Hexadecimal.encode(Array(key.digest(purpose, [text]).prefix(8))))
    }

    package static func subscriber(_ subscriber: SubscriberPseudonym) -> AuditSubject {
        AuditSubject("subscriber", subscriber.description)
    }

    /// The subscribers who may have a key, each once.
    ///
    /// - Parameter backends: The names of the backends that may have authenticated the subscriber.
    package static func subscribers(
        with key: String, of backends: [String], _ pseudonymKey: PseudonymKey
    ) -> [AuditSubject] {
        var seen: Set<String> = []
        return backends.filter { seen.insert($0).inserted }.map { backend in
            AuditSubject.subscriber(pseudonymKey.reference(to: Subscriber(backend: backend, key: key)))
        }
    }

    package static func owner(_ owner: PurchaseOwner) -> AuditSubject { AuditSubject("owner", owner.description) }

    /// A delivery, by a keyed digest. Its reference in logs has no key, so that every owner of the receipt can compute it.
    ///
    /// - Parameter name: The store and the transaction, as `gatefold deliveries` prints them.
    package static func delivery(_ name: String, _ key: PseudonymKey) -> AuditSubject {
        AuditSubject("delivery", key, "audit delivery", name)
    }

    /// - Parameter id: The public identifier of the token.
    package static func adminToken(_ id: String) -> AuditSubject { AuditSubject("admin-token", id) }
    package static func backend(_ name: String) -> AuditSubject { AuditSubject("backend", name) }
    package static func campaign(_ name: String) -> AuditSubject { AuditSubject("campaign", name) }
    package static func edition(_ edition: EditionID) -> AuditSubject { AuditSubject("edition", edition.rawValue) }
    package static func node(_ name: String) -> AuditSubject { AuditSubject("node", name) }
    package static func state(_ name: String) -> AuditSubject { AuditSubject("state", name) }

    /// A person whose pseudonym is not known, by a keyed digest of what was entered.
    ///
    /// - Parameter entered: A sign-in identifier, an address or another name of a person. Letter case is ignored.
    package static func identifier(_ entered: String, _ key: PseudonymKey) -> AuditSubject {
        AuditSubject("identifier", key, "audit identifier", entered.lowercased())
    }
}
