/// Where an edition's archive lies.
public struct EditionArchive: Sendable, Equatable {
    public let edition: EditionID
    /// Below the publication's content; nil for the usual name.
    public let file: String?
}
