/// A writer of the big-endian fields of our binary formats.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: The number of bytes that are written without another allocation.
    package init(capacity: Int = 64) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// Writes a text after its length in two bytes. The caller must limit the length.
    package mutating func write(text: String) {
        write(UInt16(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// A reader of the output of ``ByteWriter``. A read beyond the end returns nil.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func read<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        guard let bytes = read(count: MemoryLayout<Integer>.size) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    package mutating func read(count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns the remaining bytes.
    package mutating func readRest() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    package mutating func readText() -> String? {
        guard let count = read(UInt16.self), let bytes = read(count: Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
