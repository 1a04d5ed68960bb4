/// A path with parameters in it, such as `/purchases/:app_id/:user_id`.
///
/// The placeholders are those that Baker's client fills in before it asks (PROTOCOLS 2.1). Parameters at the end may be
/// missing in a request: an app whose settings have a shorter URL sends them otherwise.
public struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    enum Segment: Hashable, Sendable {
        case literal(String)
        /// By its name in lower case.
        case parameter(String)
    }

    let segments: [Segment]

    /// Reads one or more segments behind slashes: letters, digits, `-`, `_`, `.` and `~`. Parameters are such with a colon before
    /// them and differ from one another. One segment at least is literal, and the first is so or `:app_id`, by which it is known
    /// whose path it is. Nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        var segments: [Segment] = []
        for piece in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let isParameter = piece.hasPrefix(":")
            let name = isParameter ? piece.dropFirst() : piece
            guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isPlain), name != ".", name != ".."
            else {
                return nil
            }
            segments.append(isParameter ? .parameter(name.lowercased()) : .literal(String(name)))
        }
        let names = segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
        guard Set(names).count == names.count, names.count < segments.count else { return nil }
        if case .parameter(let name)? = segments.first, name != Self.app { return nil }
        self.segments = segments
    }

    public var description: String { text { ":\($0)" } }

    /// The first segment; nil where that is the app.
    public var first: String? {
        if case .literal(let text)? = segments.first { text } else { nil }
    }

    /// Whether the first segment is the app.
    public var beginsWithApp: Bool { first == nil }

    private static let app = "app_id"

    public func has(parameter name: String) -> Bool { segments.contains(.parameter(name)) }

    /// Whether there are paths that could be meant by either. No app may be called as another path's first segment.
    public func isLike(_ other: PathTemplate) -> Bool {
        beginsWithApp == other.beginsWithApp && segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, theirs in
                if case .literal(let mine) = mine, case .literal(let theirs) = theirs { return mine == theirs }
                return true
            }
    }

    /// The path with its parameters replaced.
    func text(_ value: (_ parameter: String) -> String) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let name): "/" + value(name)
            }
        }.joined()
    }

    /// What a path has for the parameters; nil when it is another path.
    ///
    /// A segment that is empty, or still the placeholder itself, has no value. Malformed percent-escapes stand for
    /// themselves: the client puts values in as they are. What is no UTF-8 is another path.
    func match(_ path: String) -> Match? {
        var pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard pieces.first?.isEmpty == true else { return nil }
        pieces.removeFirst()
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        guard pieces.count <= segments.count else { return nil }
        var values: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            let piece = index < pieces.count ? pieces[index] : nil
            switch segment {
            case .literal(let text):
                guard let piece, piece.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                guard let piece, !piece.isEmpty else { continue }
                let value = FormFields.unescaped(piece)
                guard !value.unicodeScalars.contains("\u{FFFD}") else { return nil }
                if value.first != ":" { values[name] = value }
            }
        }
        return Match(values: values, missing: segments.count - pieces.count)
    }

    struct Match {
        let values: [String: String]
        /// So many segments at the end are not there.
        let missing: Int

        /// The app that the path names.
        var app: String? { values[PathTemplate.app] }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
