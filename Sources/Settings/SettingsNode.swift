/// A setting as written, and its location.
public struct SettingsNode: Sendable {
    public enum Content: Sendable {
        /// A null, written as an empty value or `~`.
        case nothing
        /// A scalar value.
        ///
        /// - Parameter isQuoted: `true` for a quoted text, which is a text even if it looks like a number.
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
