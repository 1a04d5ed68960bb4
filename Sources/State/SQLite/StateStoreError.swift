/// Why the state store could not be used.
public enum StateStoreError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A newer release has changed the tables.
    case newerSchema(path: String, reason: String)
    /// The file can not be read or written at present.
    case unavailable(reason: String)
    /// A row can not be understood.
    case unreadableRow(table: String)
    /// A text holds the character that ends texts in databases.
    case unstorableText(table: String)
    /// A receipt is not there any more.
    case noSuchReceipt

    /// Whether another release has to be started, rather than the file put right.
    package var isNewerSchema: Bool {
        if case .newerSchema = self { true } else { false }
    }

    /// The table that it is about, where it is about one.
    var table: String {
        switch self {
        case .unreadableRow(let table), .unstorableText(let table): table
        case .cannotOpen, .newerSchema, .unavailable, .noSuchReceipt: "state"
        }
    }

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .newerSchema(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .unavailable(let reason): "the state store can not be read or written: \(reason)"
        case .unreadableRow(let table): "a row of table \(table) can not be read"
        case .unstorableText(let table):
            "a text for table \(table) holds the character U+0000; expected a text without it"
        case .noSuchReceipt: "the receipt was erased; expected one that is kept"
        }
    }
}
