import Gatefold

/// The member `reason` of a body, which the audit log records.
package enum AdminReason {
    static let expectation = "one line of 1 to \(AuditReason.maxBytes) bytes without an e-mail address"

    package static func property(isRequired: Bool) -> AdminProperty {
        AdminProperty(
            "reason", .string(AdminText(1...AuditReason.maxBytes)),
            "The reason, for the audit log: \(expectation). Entries are never deleted, so it names no reader.",
            isRequired: isRequired)
    }
}
