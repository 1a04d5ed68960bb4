public import Gatefold

/// Edition credentials in a URL's query: `ticket=USERID.PASSWORD`.
///
/// For apps that are sent to a URL and add no header of ours (PROTOCOLS 2.2 and 3). The salts are sealed and live for
/// minutes, since URLs are written down in places where headers are not.
public struct Ticket: Sendable, Equatable {
    public static let parameter = "ticket"
    public let credentials: EditionCredentials

    public init(_ credentials: EditionCredentials) {
        self.credentials = credentials
    }

    /// Reads the form that ``text`` writes; nil for anything else.
    init?(_ text: Substring) {
        // A salt holds no dot (DESIGN "Edition credentials"), so the first one divides.
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let userid = parts.first, let password = parts.last, !userid.isEmpty else { return nil }
        credentials = EditionCredentials(userid: String(userid), password: String(password))
    }

    /// The parameter's value; safe in a query as it is.
    public var text: String { "\(credentials.userid).\(credentials.password)" }

    /// The target with the ticket in its query.
    public func added(to target: String) -> String {
        "\(target)\(target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(Self.parameter)=\(text)"
    }

    /// The value that a request's target offers: of the first parameter of that name, spelt exactly and not decoded.
    static func offered(in target: String) -> Substring? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        let name = Parameter.name
        return target[target.index(after: mark)...].split(separator: "&").first { $0.utf8.starts(with: name.utf8) }
            .map { $0.dropFirst(name.count) }
    }

    private enum Parameter {
        static let name = "\(Ticket.parameter)="
    }
}
