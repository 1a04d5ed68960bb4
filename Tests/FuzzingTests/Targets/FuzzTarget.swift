/// One or a few parsers of outside bytes with their promises for any input.
///
/// libFuzzer (`deploy/fuzz`) and the tests of this folder run the same targets.
struct FuzzTarget: Sendable {
    /// The name of the target and of its seed folder in `Fixtures/Fuzz`.
    let name: String
    /// The maximum input length in bytes.
    let maxLength: Int
    /// The source files that contain the parsers, without extension.
    let parsers: [String]
    /// Parses an input. Ends the process if a parser traps or ``promise(_:_:)`` fails.
    let run: @Sendable (_ bytes: [UInt8]) -> Void

    init(
        _ name: String, upTo maxLength: Int = 1024, of parsers: String...,
        run: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) {
        self.name = name
        self.maxLength = maxLength
        self.parsers = parsers
        self.run = run
    }
}

/// Ends the process, which libFuzzer treats as a bug, if a parser breaks a promise about all inputs.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) {
    guard holds else { fatalError("A property was violated: \(what())") }
}

/// Returns the bytes as text with invalid UTF-8 replaced, as parsers of texts receive it.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Returns the requested number of lines of an input with several values. Missing lines are empty.
func lines(_ bytes: [UInt8], _ count: Int) -> [String] {
    let all = bytes.split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
    return (0..<count).map { $0 < all.count ? String(decoding: all[$0], as: UTF8.self) : "" }
}

/// Returns the bytes in chunks for a stream parser. The input itself determines the chunk sizes.
func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
    let size = 1 + Int(bytes.last ?? 0) % 7
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

/// Returns a prerequisite of a target. Creating it must not fail.
func ready<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { fatalError("A target could not be prepared: \(error)") }
}
