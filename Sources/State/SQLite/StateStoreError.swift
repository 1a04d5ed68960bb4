/// Why the state store could not be used.
public enum StateStoreError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A row can not be understood.
    case unreadableRow(table: String)
    /// A text holds the character that ends texts in databases.
    case unstorableText(table: String)
    /// A receipt is not there any more.
    case noSuchReceipt

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .unreadableRow(let table): "a row of table \(table) can not be read"
        case .unstorableText(let table):
            "a text for table \(table) holds the character U+0000; expected a text without it"
        case .noSuchReceipt: "the receipt was erased; expected one that is kept"
        }
    }
}
