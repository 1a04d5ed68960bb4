/// A path with parameters, such as `/purchases/:app_id/:user_id`.
///
/// The placeholders are those that Baker's client fills in before it sends a request. Parameters at the end may be
/// missing in a request, because an app with a shorter URL in its settings sends them elsewhere.
///
/// Source: Baker protocol, “Placeholders in URLs”.
public struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    enum Segment: Hashable, Sendable {
        case literal(String)
        /// A parameter, by its name in lower case.
        case parameter(String)
    }

    let segments: [Segment]

    /// Parses a template: one or more segments after slashes, each of 1 to 64 letters, digits, `-`, `_`, `.` and
    /// `~`.
    ///
    /// A parameter has a colon before its name, and all parameter names differ. At least one segment is literal.
    /// The first segment is literal or `:app_id`, because it identifies the publication of the path. Returns `nil`
    /// for any other text.
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

    /// The first segment, or `nil` if it is the app.
    public var first: String? {
        if case .literal(let text)? = segments.first { text } else { nil }
    }

    /// A Boolean value that indicates whether the first segment is the app.
    public var beginsWithApp: Bool { first == nil }

    private static let app = "app_id"

    public func has(parameter name: String) -> Bool { segments.contains(.parameter(name)) }

    /// Returns whether a path can match both templates. No app may have the name of another path's first segment.
    public func overlaps(_ other: PathTemplate) -> Bool {
        beginsWithApp == other.beginsWithApp && segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, theirs in
                if case .literal(let mine) = mine, case .literal(let theirs) = theirs { return mine == theirs }
                return true
            }
    }

    /// Returns the path with its parameters replaced.
    func text(_ value: (_ parameter: String) -> String) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let name): "/" + value(name)
            }
        }.joined()
    }

    /// Returns the values of the parameters in a path, or `nil` if the path does not match.
    ///
    /// An empty segment, or a segment that is still the placeholder, has no value. A malformed percent-escape is
    /// taken literally, because the client inserts values without escaping. A segment that is not UTF-8 does not
    /// match.
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
        /// The number of segments at the end that are missing.
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
