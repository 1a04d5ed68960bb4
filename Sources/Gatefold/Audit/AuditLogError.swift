/// A damage of the audit log that prevents its use. Only a change by other means than Gatefold's causes it.
package enum AuditLogError: Error, Equatable, CustomStringConvertible {
    /// No entry can follow the last one.
    ///
    /// - Parameter sequence: The number of the last entry: less than 1, or the largest number.
    case invalidHead(sequence: Int64)
    /// The state has no table of the log.
    case missingTable

    package var description: String {
        switch self {
        case .invalidHead(let sequence):
            "the audit log was changed: no entry can follow its last one, which has the number \(sequence); "
                + "see `gatefold audit verify`"
        case .missingTable: "the audit log was removed: the state has no table of it"
        }
    }
}
