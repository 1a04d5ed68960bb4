/// The originator of an audited action.
package struct AuditActor: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A user of the admin API or of the console.
        case adminUser = "admin"
        /// A user of the command line.
        case commandLineUser = "command"
        /// The server itself.
        case system
    }

    package static let maxNameBytes = 200

    package let kind: Kind
    package let name: String

    /// - Parameter name: The name. Characters that a log must not contain are replaced, and the rest after
    ///   ``maxNameBytes`` is cut off, because an unusual name must not prevent the entry.
    package init(_ kind: Kind, name: String) {
        self.kind = kind
        self.name = AuditText.replacing(name, maxBytes: Self.maxNameBytes)
    }
}
