public import Gatefold

/// The words of a letter, with what differs from reader to reader put in.
public struct InPlayerLetter: Sendable {
    /// What can be put in.
    public enum Place: String, Sendable, CaseIterable {
        /// What the reader is to give back to the app.
        case token
        /// The publication's own page for it; the token, where there is no such page.
        case link
        /// The reader's full name where it looks like one, or what they sign in with.
        case name
        /// What the reader signs in with.
        case email
    }

    /// Writes it to an address.
    public let write: @Sendable (_ to: String, _ values: [Place: String]) -> Letter

    /// - Parameter write: must return at once.
    public init(_ write: @escaping @Sendable (_ to: String, _ values: [Place: String]) -> Letter) {
        self.write = write
    }

    /// The one that is sent unless the publication has its own. It names nobody: whoever registers with somebody else's address would
    /// choose the words of a letter to them.
    public static let password = InPlayerLetter { address, values in
        Letter(
            to: address, subject: InPlayerLetter.passwordSubject,
            text: InPlayerLetter.passwordText(token: values[.token] ?? ""))
    }

    public static let passwordSubject = "Your new password"

    public static func passwordText(token: String) -> String {
        """
        Hello,

        somebody, most likely you, asked for a new password. To choose one, enter this in the app within an hour:

        \(token)

        If it was not you, there is nothing to do: your password is what it was.

        """
    }

    /// In Unicode scalars.
    private static let longestName = 100

    /// The name, where it can be nothing but one: a letter must not carry what a stranger wants to say.
    static func name(_ text: String?) -> String? {
        guard let text, text.contains(where: { !$0.isWhitespace }), text.unicodeScalars.count <= longestName,
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

/// Has a letter sent, and returns at once.
///
/// - Returns: false when it will not be sent.
public typealias InPlayerMail = @Sendable (Letter) -> Bool
