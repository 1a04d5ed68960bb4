/// Writes the big-endian fields of our binary formats.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// A text behind its length in two bytes; the caller has limited the length.
    mutating func write(text: String) {
        write(UInt16(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads what ``ByteWriter`` wrote; every read of something that is not there returns nil.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func read<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        guard let bytes = read(count: MemoryLayout<Integer>.size) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    mutating func read(count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All that is left.
    mutating func readRest() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    mutating func readText() -> String? {
        guard let count = read(UInt16.self), let bytes = read(count: Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
