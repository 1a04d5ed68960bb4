public import Gatefold

/// A template of an e-mail message, with placeholders for values that differ by reader.
public struct InPlayerEmail: Sendable {
    /// The placeholders of a template.
    public enum Place: String, Sendable, CaseIterable {
        /// The token that the reader enters in the app.
        case token
        /// The publication's own page for the token, or the token if there is no such page.
        case link
        /// The reader's full name if it looks like a name, otherwise the sign-in identifier.
        case name
        /// The reader's sign-in identifier.
        case email
    }

    /// Creates the e-mail message to an address.
    public let write: @Sendable (_ to: String, _ values: [Place: String]) -> EmailMessage

    /// - Parameter write: Creates the message. Must return at once.
    public init(_ write: @escaping @Sendable (_ to: String, _ values: [Place: String]) -> EmailMessage) {
        self.write = write
    }

    /// The default message for a new password, if the publication has none of its own.
    ///
    /// It contains no name, because a stranger who registers with the address of another person could otherwise
    /// choose text of a message to that person.
    public static let password = InPlayerEmail { address, values in
        EmailMessage(
            to: address, subject: InPlayerEmail.passwordSubject,
            text: InPlayerEmail.passwordText(token: values[.token] ?? ""))
    }

    public static let passwordSubject = "Your new password"

    public static func passwordText(token: String) -> String {
        """
        Hello,

        a new password was requested for your account. To choose one, enter this code in the app within an hour:

        \(token)

        If you did not request it, you can ignore this message. Your password has not changed.

        """
    }

    /// The maximum length of a name, in Unicode scalars.
    private static let maxNameLength = 100

    /// Returns the name if it can only be a name, because a message must not carry text of a stranger.
    static func name(_ text: String?) -> String? {
        guard let text, text.contains(where: { !$0.isWhitespace }), text.unicodeScalars.count <= maxNameLength,
            text.unicodeScalars.allSatisfy(isOfName)
        else { return nil }
        return text
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber:
            true
        default: [" ", "'", "-", "."].contains(scalar)
        }
    }
}

/// Enqueues an e-mail message, and returns when it is stored.
///
/// - Returns: `false` if the message will not be sent.
public typealias InPlayerMail = @Sendable (EmailMessage) async -> Bool
