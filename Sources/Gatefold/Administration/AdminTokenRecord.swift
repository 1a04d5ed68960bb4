package import Foundation
package import Primitives

/// A token of the admin API or the console as the state stores it. Nothing in it grants access.
package struct AdminTokenRecord: Sendable, Equatable {
    /// The public identifier, which the audit log names.
    package let id: String
    /// The digest of the token, see ``AdminToken/digest``.
    package let digest: [UInt8]
    package let name: AdminTokenName
    package let scope: AdminScope
    package let created: Date
    /// The time from which the token is not accepted; nil if it does not expire.
    package let expires: Date?
    package var revoked: Date?
    /// The time of the last use, to within a minute; nil if it was never used.
    package var lastUsed: Date?

    package init(
        id: String = newID(), digest: [UInt8], name: AdminTokenName, scope: AdminScope, created: Date,
        expires: Date? = nil, revoked: Date? = nil, lastUsed: Date? = nil
    ) {
        self.id = id
        self.digest = digest
        self.name = name
        self.scope = scope
        self.created = created
        self.expires = expires
        self.revoked = revoked
        self.lastUsed = lastUsed
    }

    /// Returns a new public identifier: that of the kind and 12 hexadecimal digits, such as `console-0a1b2c3d4e5f`.
    package static func newID(of kind: AdminTokenKind = .api, random: RandomSource = .system) -> String {
        kind.idPrefix + Hexadecimal.encode(random.bytes(6))
    }

    package var kind: AdminTokenKind { .kind(ofID: id) }

    package func isAccepted(at timestamp: Date) -> Bool {
        revoked == nil && (expires.map { timestamp < $0 } ?? true)
    }

    /// The actor of the entries in the audit log.
    package var actor: AuditActor { AuditActor(.adminUser, name: "\(name)#\(id)") }
}

/// The name of an admin token: its person or program. 1 to 64 letters, digits, `.`, `_` and `-`: no e-mail address,
/// because entries of the audit log are never deleted.
package struct AdminTokenName: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init?(_ text: some StringProtocol) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        description = String(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
