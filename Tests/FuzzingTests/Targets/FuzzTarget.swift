/// One or a few parsers of outside bytes, and what they promise of any of them.
///
/// libFuzzer (`deploy/fuzz`) and the tests of this folder run the same targets.
struct FuzzTarget: Sendable {
    /// Also the folder of its seeds in `Fixtures/Fuzz`.
    let name: String
    /// The longest input that is tried, in bytes.
    let longest: Int
    /// The source files that hold the parsers, without their extension.
    let parsers: [String]
    /// Reads an input. Ends the process where a parser traps or ``promise(_:_:)`` is not kept.
    let run: @Sendable (_ bytes: [UInt8]) -> Void

    init(
        _ name: String, upTo longest: Int = 1024, of parsers: String...,
        run: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) {
        self.name = name
        self.longest = longest
        self.parsers = parsers
        self.run = run
    }
}

/// Ends the process, as libFuzzer expects it of a bug, where a parser did not do what it says of every input.
func promise(_ isKept: Bool, _ what: @autoclosure () -> String) {
    guard isKept else { fatalError("A promise was not kept: \(what())") }
}

/// The bytes as text, what is no UTF-8 replaced: what parsers of texts get when they are asked.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The lines of an input that has several values in it; as many as are asked for, the missing ones empty.
func lines(_ bytes: [UInt8], _ count: Int) -> [String] {
    let all = bytes.split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
    return (0..<count).map { $0 < all.count ? String(decoding: all[$0], as: UTF8.self) : "" }
}

/// What a reader of a stream is given: the same bytes in pieces, whose size the input itself decides.
func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
    let size = 1 + Int(bytes.last ?? 0) % 7
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

/// What a target needs before it reads anything, made without fail.
func ready<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { fatalError("A target could not be made ready: \(error)") }
}
