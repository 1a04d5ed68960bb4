/// A letter to a reader. Neither its address nor its text is ever shown.
public struct Letter: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// An address such as `ada@example.com`, as somebody typed it: ``Mailer`` checks it.
    public var to: String
    public var subject: String
    public var text: String
    /// The same in HTML; nil for letters that are text only.
    public var html: String?

    public init(to: String, subject: String, text: String, html: String? = nil) {
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
    }

    public var description: String { "Letter(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
