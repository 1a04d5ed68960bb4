/// The location of an edition's archive.
public struct EditionArchive: Sendable, Equatable {
    public let edition: EditionID
    /// The path below the publication's content, or nil for the usual name.
    public let file: String?
}
