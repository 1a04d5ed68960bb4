/// Where a publication's content lies for the outside: what documents put in front of what is relative to it.
package struct ContentAddress: Sendable, Equatable {
    /// Ends with a slash: `https://cdn.example.com/daily/`, or `/content/daily/` on the document's own host.
    package let prefix: String

    /// Nil for what is neither an absolute `http` or `https` address nor a path, or does not end with a slash.
    package init?(_ prefix: String) {
        let isAddress = ["http://", "https://"].contains { prefix.lowercased().hasPrefix($0) }
        guard prefix.hasSuffix("/"), isAddress || (prefix.hasPrefix("/") && !prefix.hasPrefix("//")),
            !prefix.contains(where: { $0.isWhitespace || "?#\"<>".contains($0) })
        else { return nil }
        self.prefix = prefix
    }

    /// Whether what it makes can be used without knowing where the document was found.
    package var isAbsolute: Bool { !prefix.hasPrefix("/") }

    /// The address of a file below the prefix, named as it is on the disk.
    package func of(file: String) -> String { prefix + AddressText.path(file) }

    /// The address that a reference stands for: one of its own, a path on the same host, or one relative to the prefix.
    package func of(_ reference: String) -> String {
        if AddressText.isAbsolute(reference) { return reference }
        return (reference.hasPrefix("/") ? origin : prefix) + AddressText.reference(reference)
    }

    private var origin: String {
        guard isAbsolute, let separator = prefix.firstRange(of: "://") else { return "" }
        return String(prefix[..<separator.upperBound]) + prefix[separator.upperBound...].prefix { $0 != "/" }
    }
}
