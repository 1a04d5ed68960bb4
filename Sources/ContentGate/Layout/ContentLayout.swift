import Gatefold

/// The location of a publication's content, and the credentials that each part of it needs.
///
/// The edition is the first segment after the prefix: `/content/daily/ed-1/page.html` and `/content/daily/ed-1.zip`
/// both belong to `ed-1`. All comparisons are case-sensitive.
public struct ContentLayout: Sendable {
    /// The path prefix. Begins and ends with a slash.
    public let prefix: String
    /// The paths that need no credentials, such as covers.
    public let openPatterns: [PathPattern]
    /// The paths that need the feed's credentials: the token and its `global_auth_password`.
    public let feedPatterns: [PathPattern]
    /// The extensions that are removed from the edition's segment if it is the last one.
    public let archiveExtensions: Set<String>
    /// The directory that the prefix represents. Required if ``FileServer`` serves the content.
    public let root: String?
    let prefixSegments: [String]

    /// The first segment of the prefix; nil if the prefix is `/`.
    package var firstSegment: String? { prefix.split(separator: "/").first.map(String.init) }

    /// - Parameters:
    ///   - prefix: A path that begins and ends with a slash, such as `/content/daily/`.
    ///   - openPatterns: Patterns relative to the prefix, as ``PathPattern`` reads them. They take precedence over
    ///     `feedPatterns`.
    ///   - feedPatterns: Patterns relative to the prefix.
    ///   - archiveExtensions: Extensions without the dot.
    ///   - root: An absolute directory.
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

    /// Returns whether the path lies below the prefix.
    func covers(_ path: NormalisedPath) -> Bool {
        path.segments.starts(with: prefixSegments)
            && (path.segments.count > prefixSegments.count || path.endsWithSlash)
    }

    /// Returns the segments below the prefix of a path that the layout covers.
    func relative(_ path: NormalisedPath) -> ArraySlice<String> {
        path.segments[prefixSegments.count...]
    }

    /// Returns the edition that a path below the prefix belongs to.
    ///
    /// An archive is a file, so nothing lies below `ed-1.zip/`. Therefore a server that drops a slash cannot serve
    /// the archive of `ed-1` to a reader who may read an edition named `ed-1.zip`.
    func edition(of path: NormalisedPath) -> EditionID? {
        let relative = relative(path)
        guard let first = relative.first else { return nil }
        guard let dot = first.lastIndex(of: "."), archiveExtensions.contains(String(first[first.index(after: dot)...]))
        else { return EditionID(first) }
        return relative.count == 1 && !path.endsWithSlash ? EditionID(first[..<dot]) : nil
    }
}

/// An error in a layout.
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
            "content pattern \"\(text)\": expected segments separated by single slashes, with * only within segments and ** only at the end"
        case .archiveExtension(let text):
            "archive extension \"\(text)\": expected letters and digits without a dot, like zip"
        case .root(let text):
            "content root \"\(text)\": expected an absolute directory"
        }
    }
}
