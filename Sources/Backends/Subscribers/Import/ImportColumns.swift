/// The columns of a file, named by its first row.
struct ImportColumns: Sendable, Equatable {
    enum Column: String, CaseIterable, Sendable {
        case identifier
        case password
        case passwordHash = "password_hash"
        case state
        case message
        case allEditions = "all_editions"
        case periods
        case editions
        case categories
    }

    /// The columns in the order of the file.
    let all: [Column]
    let names: [String]

    /// - Parameter identifierName: An alternative name for the identifier column.
    init(header: [String], identifierName: String) throws(ImportError) {
        var all: [Column] = []
        for written in header {
            let name = written.trimmingWhitespace().lowercased()
            guard let column = name == identifierName.lowercased() ? .identifier : Column(rawValue: name) else {
                throw .unknownColumn(written, expected: [identifierName] + Column.allCases.dropFirst().map(\.rawValue))
            }
            if all.contains(column) { throw .repeatedColumn(written) }
            all.append(column)
        }
        guard all.contains(.identifier) else { throw .missingColumn(identifierName) }
        if all.contains(.password), all.contains(.passwordHash) { throw .twoPasswordColumns }
        self.all = all
        names = header
    }

    func has(_ column: Column) -> Bool { all.contains(column) }
}

extension StringProtocol {
    /// Returns the text without leading and trailing spaces and tabs.
    func trimmingWhitespace() -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = Array(utf8.drop(while: isSpace))
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
