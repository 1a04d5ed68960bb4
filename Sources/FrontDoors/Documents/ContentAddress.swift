/// The public location of a publication's content: the prefix that documents add to relative references.
package struct ContentAddress: Sendable, Equatable {
    /// The prefix, which ends with a slash: `https://cdn.example.com/daily/`, or `/content/daily/` on the
    /// document's own host.
    package let prefix: String

    /// Returns `nil` if the prefix is neither an absolute `http` or `https` address nor a path, or does not end
    /// with a slash.
    package init?(_ prefix: String) {
        let isAddress = ["http://", "https://"].contains { prefix.lowercased().hasPrefix($0) }
        guard prefix.hasSuffix("/"), isAddress || (prefix.hasPrefix("/") && !prefix.hasPrefix("//")),
            !prefix.contains(where: { $0.isWhitespace || "?#\"<>".contains($0) })
        else { return nil }
        self.prefix = prefix
    }

    /// A Boolean value that indicates whether the addresses are usable without the address of the document.
    package var isAbsolute: Bool { !prefix.hasPrefix("/") }

    /// Returns the address of a file below the prefix, by its name on disk.
    package func of(file: String) -> String { prefix + URLReferenceEncoding.path(file) }

    /// Returns the address of a reference: an absolute address, a path on the same host, or a reference relative to
    /// the prefix.
    package func of(_ reference: String) -> String {
        URLReferenceEncoding.absolute(reference)
            ?? (reference.hasPrefix("/") ? origin : prefix) + URLReferenceEncoding.reference(reference)
    }

    private var origin: String {
        guard isAbsolute, let separator = prefix.firstRange(of: "://") else { return "" }
        return String(prefix[..<separator.upperBound]) + prefix[separator.upperBound...].prefix { $0 != "/" }
    }
}
