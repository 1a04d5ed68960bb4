public import Foundation

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
    /// The reader whose erasure deletes the message while it waits, or nil for none.
    public var owner: PurchaseOwner?
    /// The time from which on the message is useless, such as the expiry of a code in it. It is not sent later. Nil: a day
    /// after it was accepted.
    public var expiresAt: Date?

    public init(
        to: String, subject: String, text: String, html: String? = nil, owner: PurchaseOwner? = nil,
        expiresAt: Date? = nil
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.owner = owner
        self.expiresAt = expiresAt
    }

    public var description: String { "Letter(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
