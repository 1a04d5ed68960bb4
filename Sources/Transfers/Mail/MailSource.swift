/// The message that a transfer takes piece by piece.
final class MailSource {
    private var rest: ArraySlice<UInt8>
    private let isCancelled: () -> Bool
    private(set) var wasCancelled = false

    init(_ message: [UInt8], isCancelled: @escaping () -> Bool) {
        rest = message[...]
        self.isCancelled = isCancelled
    }

    /// In bytes.
    var count: Int { rest.count }

    func goesOn() -> Bool {
        if !wasCancelled, isCancelled() { wasCancelled = true }
        return !wasCancelled
    }

    /// Fills the space with what comes next.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    func give(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let piece = rest.prefix(space.count)
        space.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

/// Keeps the last lines that the server said.
final class MailReplyReader {
    private static let most = 20
    private(set) var lines: [String] = []

    func take(_ bytes: UnsafeRawBufferPointer) {
        // What a terminal would take for more than text is left out.
        let line = bytes.prefix(512).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        if lines.count == Self.most { lines.removeFirst() }
        lines.append(String(decoding: line, as: UTF8.self).trimmedRight)
    }
}

extension String {
    fileprivate var trimmedRight: String { String(reversed().drop { $0 == " " }.reversed()) }
}
