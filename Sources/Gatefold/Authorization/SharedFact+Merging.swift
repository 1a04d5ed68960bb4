extension SharedFact {
    /// A Boolean value that indicates whether the fact is merged with the stored fact of its ID, regardless of the
    /// process that wrote it. Merging preserves all denied editions.
    public var isMergeable: Bool { id.kind == .denial && id.detail.isEmpty }

    /// Returns whether this fact makes another stored fact redundant.
    public func supersedes(_ other: SharedFact) -> Bool {
        if other.id == id { return true }
        guard isMergeable, other.id.kind == .denial, other.id.subject == id.subject else { return false }
        return other.value == Array(value.prefix(1)) && DenialCache.includes(other, among: self)
    }

    /// Returns the value that replaces a stored value.
    public func value(mergedWith recorded: [UInt8]) -> [UInt8] {
        guard isMergeable, recorded.first == value.first, let one = DeniedEditions(value.dropFirst()),
            let other = DeniedEditions(recorded.dropFirst())
        else { return value }
        return value.prefix(1) + one.union(other).bytes
    }
}
