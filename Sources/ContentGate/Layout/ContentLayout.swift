import Gatefold

/// Where a publication's content lies and which of it needs what.
///
/// The edition is the first segment after the prefix: `/content/daily/ed-1/page.html` and `/content/daily/ed-1.zip` both
/// belong to `ed-1`. Case counts everywhere.
public struct ContentLayout: Sendable {
    /// Begins and ends with a slash.
    public let prefix: String
    /// What passes without credentials, such as covers.
    public let openPatterns: [PathPattern]
    /// What needs the feed's credentials: the token and its `global_auth_password`.
    public let feedPatterns: [PathPattern]
    /// Cut off the edition's segment when it is the last one.
    public let archiveExtensions: Set<String>
    /// The directory that the prefix stands for; needed where ``FileServer`` serves.
    public let root: String?
    let prefixSegments: [String]

    /// - Parameters:
    ///   - prefix: a path that begins and ends with a slash, such as `/content/daily/`.
    ///   - openPatterns: relative to the prefix, as ``PathPattern`` reads them; they come before `feedPatterns`.
    ///   - feedPatterns: relative to the prefix.
    ///   - archiveExtensions: without the dot.
    ///   - root: an absolute directory.
    public init(
        prefix: String, openPatterns: [String] = [], feedPatterns: [String] = [],
        archiveExtensions: Set<String> = ["zip", "pugpigpkg", "hpub"], root: String? = nil
    ) throws(ContentLayoutError) {
        guard let path = try? NormalisedPath(target: prefix), path.endsWithSlash, path.percentEncoded == prefix else {
            throw .prefix(prefix)
        }
        if let root, !root.hasPrefix("/") { throw .root(root) }
        for text in archiveExtensions where EditionID(text) == nil || text.contains(".") {
            throw .archiveExtension(text)
        }
        self.prefix = prefix
        self.openPatterns = try Self.patterns(openPatterns)
        self.feedPatterns = try Self.patterns(feedPatterns)
        self.archiveExtensions = archiveExtensions
        self.root = root
        prefixSegments = path.segments
    }

    private static func patterns(_ texts: [String]) throws(ContentLayoutError) -> [PathPattern] {
        var patterns: [PathPattern] = []
        for text in texts {
            guard let pattern = PathPattern(text) else { throw .pattern(text) }
            patterns.append(pattern)
        }
        return patterns
    }

    /// Whether the path lies below the prefix.
    func covers(_ path: NormalisedPath) -> Bool {
        path.segments.starts(with: prefixSegments)
            && (path.segments.count > prefixSegments.count || path.endsWithSlash)
    }

    /// The segments below the prefix of a path that it covers.
    func relative(_ path: NormalisedPath) -> ArraySlice<String> {
        path.segments[prefixSegments.count...]
    }

    /// The edition that a path below the prefix belongs to.
    ///
    /// An archive is a file: nothing lies below `ed-1.zip/`, so that no server that drops a slash can serve the archive of
    /// `ed-1` to somebody who may read an edition named `ed-1.zip`.
    func edition(of path: NormalisedPath) -> EditionID? {
        let relative = relative(path)
        guard let first = relative.first else { return nil }
        guard let dot = first.lastIndex(of: "."), archiveExtensions.contains(String(first[first.index(after: dot)...]))
        else { return EditionID(first) }
        return relative.count == 1 && !path.endsWithSlash ? EditionID(first[..<dot]) : nil
    }
}

/// What is wrong with a layout.
public enum ContentLayoutError: Error, Equatable, Sendable, CustomStringConvertible {
    case prefix(String)
    case pattern(String)
    case archiveExtension(String)
    case root(String)

    public var description: String {
        switch self {
        case .prefix(let text):
            "content prefix \"\(text)\": expected a plain path that begins and ends with a slash, like /content/daily/"
        case .pattern(let text):
            "content pattern \"\(text)\": expected segments divided by single slashes, * within them, ** only at the end"
        case .archiveExtension(let text):
            "archive extension \"\(text)\": expected letters and digits without a dot, like zip"
        case .root(let text):
            "content root \"\(text)\": expected an absolute directory"
        }
    }
}
