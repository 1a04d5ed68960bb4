/// A letter with places in it that are filled in for each reader: `{{token}}` and the like.
public struct InPlayerLetter: Sendable, Equatable {
    /// What stands between the braces.
    public enum Place: String, Sendable, CaseIterable {
        /// What the reader is to give back to the app.
        case token
        /// The publication's own page for it.
        case link
        /// The reader's full name, or what they sign in with.
        case name
        /// What the reader signs in with.
        case email
    }

    /// Something between two pairs of braces that is no place.
    public struct UnknownPlace: Error, Sendable, CustomStringConvertible {
        public let name: String
        public var description: String {
            "expected {{\(Place.allCases.map(\.rawValue).joined(separator: "}}, {{"))}}, not {{\(name)}}"
        }
    }

    public let subject: String
    public let text: String

    /// - Throws: ``UnknownPlace``.
    public init(subject: String, text: String) throws(UnknownPlace) {
        self.subject = subject
        self.text = text
        for part in [subject, text] {
            for name in Self.places(in: part) where Place(rawValue: name) == nil { throw UnknownPlace(name: name) }
        }
    }

    private init(checkedSubject subject: String, text: String) {
        self.subject = subject
        self.text = text
    }

    /// The one that is sent unless the publication has its own.
    public static let password = InPlayerLetter(
        checkedSubject: "Your new password",
        text: """
            Hello {{name}},

            somebody, most likely you, asked for a new password. To choose one, enter this in the app within an hour:

            {{token}}

            If it was not you, there is nothing to do: your password is what it was.

            """)

    /// With the link, where there is one.
    static func fill(_ text: String, _ values: [Place: String]) -> String {
        text.replacing(/\{\{ *([a-z]+) *\}\}/) { match in
            // What is filled in is not looked through again.
            Place(rawValue: String(match.1)).flatMap { values[$0] } ?? ""
        }
    }

    func filled(_ values: [Place: String]) -> (subject: String, text: String) {
        (Self.fill(subject, values), Self.fill(text, values))
    }

    package static func places(in text: String) -> [String] {
        text.matches(of: /\{\{ *([^{}]*?) *\}\}/).map { String($0.1) }
    }
}

/// Has a letter sent, and returns at once.
///
/// - Returns: false when it will not be sent.
public typealias InPlayerMail = @Sendable (_ to: String, _ subject: String, _ text: String) -> Bool
