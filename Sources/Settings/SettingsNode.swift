/// A setting as it was written, with where.
public struct SettingsNode: Sendable {
    public enum Content: Sendable {
        /// A null, written as nothing or `~`.
        case nothing
        /// - Parameter isQuoted: quoted text is text, even where it looks like a number.
        case scalar(String, isQuoted: Bool)
        case sequence([SettingsNode])
        case mapping([Entry])
    }

    public struct Entry: Sendable {
        public let key: String
        public let origin: SettingsOrigin
        public var value: SettingsNode
    }

    public let origin: SettingsOrigin
    public var content: Content

    public init(origin: SettingsOrigin, content: Content) {
        self.origin = origin
        self.content = content
    }
}
