/// An e-mail message to a reader. Its address and text are never shown.
public struct EmailMessage: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The recipient's address as typed, such as `ada@example.com`. ``Mailer`` validates it.
    public var to: String
    public var subject: String
    public var text: String
    /// The text in HTML, or nil for a text-only message.
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
